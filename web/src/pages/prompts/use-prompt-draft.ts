import { useEffect, useState } from 'react'
import { useMe } from '../shell/use-application.ts'
import { draftKey, type PromptDraft, readDraft, writeDraft } from './prompt-draft.ts'

/** The draft of a prompt on this device, whether it could be kept there, and how to change or remove it. */
export function usePromptDraft(promptId: string) {
  const key = draftKey(useMe().userId, promptId)
  const [state, setState] = useState(() => ({ key, draft: readDraft(key), isKept: true }))
  const current = state.key === key ? state : { key, draft: readDraft(key), isKept: true }
  if (current !== state) setState(current)
  // Another tab has changed it: what is shown here would overwrite those words with the next letter.
  useEffect(() => {
    const follow = (event: StorageEvent) => {
      if (event.key === key) setState({ key, draft: readDraft(key), isKept: true })
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [key])
  const setDraft = (draft: PromptDraft | undefined) => setState({ key, draft, isKept: writeDraft(key, draft) })
  return { draft: current.draft, isKept: current.isKept, setDraft }
}
