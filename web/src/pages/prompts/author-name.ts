import type { PromptAuthor } from '../../api/generated/api.ts'

export function authorName({ id, name }: PromptAuthor, myId: string): string {
  return id === myId ? 'you' : (name ?? 'a deleted account')
}
