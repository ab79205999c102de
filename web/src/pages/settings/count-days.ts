import { countOf } from '../../ui/format-number.ts'

/** "1 day", "90 days". */
export function countDays(days: number): string {
  return countOf(days, 'day')
}
