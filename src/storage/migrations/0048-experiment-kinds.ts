import type { ColumnTypes } from '../dialect.ts'

/**
 * How the prompt of an iteration came about, and the items that it shows with their answers. A running older server adds iterations of kind
 * `reflection`, which are all that it knows; it does not continue experiments with other ones, because it rejects their optimizers.
 */
export function experimentKinds(_: ColumnTypes): string[] {
  return [
    "alter table experiment_iterations add column kind text not null default 'reflection'",
    'alter table experiment_iterations add column demonstrations text',
    "update experiment_iterations set kind = 'start' where number = 0",
  ]
}
