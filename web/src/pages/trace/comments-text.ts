import { formatCount } from '../../ui/format-number.ts'

export function commentsText(count: number): string {
  return count === 1 ? '1 comment' : `${formatCount(count)} comments`
}
