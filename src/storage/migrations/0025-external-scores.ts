import type { ColumnTypes } from '../dialect.ts'

/**
 * What evaluations need to wait for external scores. Adds columns only: a running older server ignores them. It does not
 * know external evaluators either, so an evaluation with one that it claims fails with that error and can be retried.
 */
export function externalScores({ timestamp }: ColumnTypes): string[] {
  return [
    'alter table evaluations add column retries integer not null default 0',
    `alter table evaluations add column external_since ${timestamp}`,
    'alter table evaluation_scores add column delivered_in integer',
  ]
}
