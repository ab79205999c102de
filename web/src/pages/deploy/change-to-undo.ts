import type { PromptLabelChange } from '../../api/generated/api.ts'

/** The change that a rollback takes back: the newest that is none itself and was not taken back. As in the server. */
export function changeToUndo(history: readonly PromptLabelChange[]): PromptLabelChange | undefined {
  const undone = new Set(history.map(({ undoes }) => undoes))
  return history.find(({ kind, change }) => kind !== 'rolledBack' && !undone.has(change))
}
