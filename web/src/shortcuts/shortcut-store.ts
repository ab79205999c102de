import { useEffect, useRef, useSyncExternalStore } from 'react'
import { tinykeys } from 'tinykeys'
import { createLocalSetting } from '../ui/local-setting.ts'
import { type ShortcutId, shortcutIds, shortcutList } from './shortcut-list.ts'

/** Single keys can trigger by accident with speech input, so users can turn them off (WCAG 2.1.4). */
export const singleKeys = createLocalSetting<'on' | 'off'>({
  storageKey: 'touchstone.single-keys',
  values: ['on', 'off'],
  fallback: 'on',
})

/** What each shortcut does on the current page. The last registration counts. */
let handlers: readonly { id: ShortcutId; run: () => void }[] = []
const listeners = new Set<() => void>()

/** While the calling component is on the page, the shortcut runs `run`; undefined turns it off. */
export function useShortcut(id: ShortcutId, run: (() => void) | undefined): void {
  const latest = useRef(run)
  latest.current = run
  const isOn = run !== undefined
  useEffect(() => {
    if (!isOn) return undefined
    const handler = { id, run: () => latest.current?.() }
    replaceHandlers([...handlers, handler])
    return () => replaceHandlers(handlers.filter((other) => other !== handler))
  }, [id, isOn])
}

/** The shortcuts that do something on the current page, in the order of the table. */
export function useActiveShortcuts(): ShortcutId[] {
  const active = useSyncExternalStore(subscribe, () => handlers)
  return shortcutIds.filter((id) => active.some((handler) => handler.id === id))
}

export function runShortcut(id: ShortcutId): void {
  handlers.findLast((handler) => handler.id === id)?.run()
}

/** Listens to the keyboard until the returned function is called. */
export function listenToShortcuts(): () => void {
  // Pages may use the same keys for different things, so each key has one listener for all its shortcuts.
  const byKeys = Map.groupBy(shortcutIds, (id) => shortcutList[id].keys)
  const bindings = [...byKeys].flatMap(([keys, ids]) => {
    const onKeys = (event: KeyboardEvent) => {
      const handler = handlers.findLast(({ id }) => ids.includes(id))
      // A digit is bound twice.
      if (!handler || event.defaultPrevented) return
      event.preventDefault()
      if (!event.repeat || 'isRepeated' in shortcutList[handler.id]) handler.run()
    }
    return namesOf(keys).map((name) => [name, onKeys])
  })
  return tinykeys(window, Object.fromEntries(bindings), { ignore: isForOthers })
}

/** On keyboards such as the French one, the key with a digit on it types a digit only together with Shift. */
function namesOf(keys: string): string[] {
  return /^\d$/.test(keys) ? [keys, `Digit${keys}`] : [keys]
}

/** Keys that are typed into a field, that belong to an open dialog, or that a part such as a table has handled. */
function isForOthers(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return true
  if (event.metaKey || event.ctrlKey) return false
  // A checkbox or a radio button keeps the focus after it was clicked, and takes no letters.
  const isTyped =
    event.target instanceof Element &&
    event.target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=menu]')
  return Boolean(isTyped) || singleKeys.read() === 'off'
}

function replaceHandlers(next: typeof handlers): void {
  handlers = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
