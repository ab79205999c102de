/** "1 day", "90 days". */
export function countDays(days: number): string {
  return days === 1 ? '1 day' : `${days.toLocaleString('en')} days`
}
