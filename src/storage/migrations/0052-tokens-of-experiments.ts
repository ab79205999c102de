import type { ColumnTypes } from '../dialect.ts'

/**
 * What calls of models have used. Adds columns only: a running older server does not count, so that its calls are missing in the sums. Tokens of
 * calls before are not known.
 */
export function tokensOfExperiments({ bigint }: ColumnTypes): string[] {
  return ['experiments', 'trial_variants', 'evaluations'].map(
    (table) => `alter table ${table} add column tokens_used ${bigint} not null default 0`,
  )
}
