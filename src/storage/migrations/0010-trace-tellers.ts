import type { ColumnTypes } from '../dialect.ts'

/**
 * What makes the row of a trace independent of the order in which its spans arrive: which span each of its values is from, when a
 * model or an agent last failed and a model last answered, and which instrumentation reported usage. And a hash of what a trace was sent
 * with as JSON. All are null for older traces, whose values stay as they are. An older server that still runs while this is applied leaves the columns empty.
 */
export function traceTellers({ bigint }: ColumnTypes): string[] {
  return [
    'alter table traces add column told_by text',
    `alter table traces add column answer_failed_ns ${bigint}`,
    `alter table traces add column answer_given_ns ${bigint}`,
    'alter table traces add column usage_scope text',
    'alter table traces add column native_hash text',
  ]
}
