/**
 * The traces of the calls of experiments, and how long an answer took. Adds columns only: a running older server ignores them, and calls that it
 * ends have neither.
 */
export function tracesOfExperiments(): string[] {
  return [
    'alter table experiment_calls add column attempt integer not null default 0',
    'alter table experiment_calls add column trace_id text',
    'alter table experiment_calls add column duration_ms integer',
  ]
}
