import { useSyncExternalStore } from 'react'

export interface LocalSetting<Value extends string> {
  values: readonly Value[]
  use: () => Value
  read: () => Value
  /** By the user of this page. */
  choose: (value: Value) => void
  /** From elsewhere, such as the preferences of the account. Ignores what is not a value of the setting. */
  adopt: (value: unknown) => void
  /** Reports what the user chooses, until the returned function is called. */
  onChoose: (listener: (value: Value) => void) => () => void
}

interface LocalSettingOptions<Value extends string> {
  storageKey: string
  values: readonly Value[]
  fallback: Value
  /** Makes the value visible, if the components that use it do not. */
  apply?: (value: Value) => void
  /** Where `apply` has put the value; otherwise it is read from the storage of the browser. */
  readApplied?: () => string | undefined
}

/** A choice that this browser remembers, and that other tabs follow. */
export function createLocalSetting<Value extends string>(options: LocalSettingOptions<Value>): LocalSetting<Value> {
  const { storageKey, values, fallback, apply, readApplied } = options
  const listeners = new Set<() => void>()
  const choiceListeners = new Set<(value: Value) => void>()

  const asValue = (text: string | null | undefined) => values.find((value) => value === text) ?? fallback
  const read = () => asValue(readApplied ? readApplied() : readStored(storageKey))

  function show(value: Value): void {
    apply?.(value)
    for (const listener of listeners) listener()
  }

  function change(value: Value): void {
    if (value === read()) return
    try {
      localStorage.setItem(storageKey, value)
    } catch {
      // Storage is blocked: what was applied lasts until the page is closed.
    }
    show(value)
  }

  function subscribe(listener: () => void): () => void {
    const follow = (event: StorageEvent) => {
      if (event.key === storageKey) show(asValue(event.newValue))
    }
    listeners.add(listener)
    window.addEventListener('storage', follow)
    return () => {
      listeners.delete(listener)
      window.removeEventListener('storage', follow)
    }
  }

  return {
    values,
    use: () => useSyncExternalStore(subscribe, read),
    read,
    choose(value) {
      change(value)
      for (const listener of choiceListeners) listener(value)
    },
    adopt(value) {
      const known = values.find((other) => other === value)
      if (known !== undefined) change(known)
    },
    onChoose(listener) {
      choiceListeners.add(listener)
      return () => choiceListeners.delete(listener)
    },
  }
}

function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
