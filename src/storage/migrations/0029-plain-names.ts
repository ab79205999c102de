/**
 * Renames what only the authors understood: tables and columns, and the kind of the jobs that delete rows. No row of traces or spans is
 * written. An older server that still runs while this is applied fails to store and to read spans, and does not know the kind of these jobs;
 * stop it first, as with every upgrade.
 */
export function plainNames(): string[] {
  return [
    'alter table span_origins rename to resource_scopes',
    'alter table spans rename column origin to resource_scope',
    'alter table spans rename column is_covered to covered_usage',
    'alter table traces rename column told_by to field_sources',
    'alter table traces rename column answer_failed_ns to last_failure_ns',
    'alter table traces rename column answer_given_ns to last_answer_ns',
    'alter table decisions rename column open_verdict to verdict_without_ratings',
    'alter table decisions rename column open_summary to summary_without_ratings',
    'alter table decisions rename column open_snapshot to snapshot_without_ratings',
    "update jobs set kind = 'purge' where kind = 'reclaim'",
  ]
}
