import type { ColumnTypes } from '../dialect.ts'

/** Who has canceled a trial. Adds a column only: a running older server ignores it, and of trials that it cancels no one is named. */
export function canceledTrials({ uuid }: ColumnTypes): string[] {
  return [`alter table trials add column canceled_by ${uuid}`]
}
