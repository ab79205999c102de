import type { ColumnTypes } from '../dialect.ts'

/**
 * What the judges of evaluations have cost that a retry has replaced. Adds a column only: a running older server ignores it, and what it
 * replaces is not counted.
 */
export function judgesOfTrials({ bigint }: ColumnTypes): string[] {
  return [`alter table trial_variants add column judges_nano_usd ${bigint} not null default 0`]
}
