/**
 * The traces of the calls of experiments. Adds columns only: a running older server ignores them, and calls that it ends have no trace.
 */
export function tracesOfExperiments(): string[] {
  return [
    'alter table experiment_calls add column attempt integer not null default 0',
    'alter table experiment_calls add column trace_id text',
  ]
}
