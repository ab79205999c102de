/**
 * Which items and which traces of runs were linked because a span named the dataset or the run, and not by a person or a request: only
 * these may be moved when a better span names another one. Older links count as made on purpose and stay, and so do those that an older
 * server creates while this is applied.
 */
export function linksFromSpans(): string[] {
  return [
    'alter table dataset_items add column from_spans integer not null default 0',
    'alter table run_traces add column from_spans integer not null default 0',
  ]
}
