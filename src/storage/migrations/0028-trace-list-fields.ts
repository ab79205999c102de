/**
 * What a row of a list shows of the spans of its trace: the models with the basis of the costs, and the beginnings of the question and the
 * answer, both as JSON. Null means unknown: the list then reads the spans, as it does for all traces that are older than these columns.
 * `listed_spans` is the number of spans that they were computed from. An older server that still runs while this is applied adds spans
 * without changing these columns; the numbers then differ, and the columns are ignored.
 */
export function traceListFields(): string[] {
  return [
    'alter table traces add column model_summary text',
    'alter table traces add column preview text',
    'alter table traces add column listed_spans integer',
  ]
}
