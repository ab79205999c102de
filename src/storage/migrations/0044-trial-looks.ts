import type { ColumnTypes } from '../dialect.ts'

/**
 * Trials that look at their scores while they run, and stop variants that are decided. Adds columns only: a running older server starts no
 * such trial, and would send all calls of one.
 */
export function trialLooks({ real }: ColumnTypes): string[] {
  return [
    // Of older trials, all calls may begin.
    'alter table trials add column calls_until integer not null default 2147483647',
    'alter table trials add column looks text',
    'alter table trial_variants add column ended_by text',
    'alter table trial_calls add column score_state text',
    `alter table trial_calls add column score ${real}`,
  ]
}
