/**
 * The plan of looks of two compared runs, as it was at the first look, and the looks that it covers. Older rows have none. A
 * running older server counts looks without a plan.
 */
export function plannedLooks(): string[] {
  return ['alter table comparison_looks add column planned text']
}
