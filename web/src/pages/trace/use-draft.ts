import { useState } from 'react'
import { useMe } from '../shell/use-application.ts'

const PREFIX = 'touchstone.draft.'

/**
 * Text of the user that is not saved yet. It is kept on this device under `name`, so that a reload does not lose it.
 * Undefined if there is none, and to remove it.
 */
export function useDraft(name: string): [string | undefined, (text: string | undefined) => void] {
  const key = `${PREFIX}${useMe().userId}.${name}`
  const [draft, setDraft] = useState(() => ({ key, text: readDraft(key) }))
  // Another span or trace has another draft.
  const current = draft.key === key ? draft : { key, text: readDraft(key) }
  if (current !== draft) setDraft(current)
  return [
    current.text,
    (text) => {
      setDraft({ key, text })
      writeDraft(key, text)
    },
  ]
}

function readDraft(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function writeDraft(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // Storage is blocked or full: the text lasts until the page is left.
  }
}
