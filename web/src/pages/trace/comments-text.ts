import { countOf } from '../../ui/format-number.ts'

export function commentsText(count: number): string {
  return countOf(count, 'comment')
}
