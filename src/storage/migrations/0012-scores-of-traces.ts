/**
 * Finds the scores of a trace, newest evaluation first, without reading all scores of the application. Adds an index only: a running
 * older server maintains it and does not use it.
 */
export function scoresOfTraces(): string[] {
  return [
    `create index evaluation_scores_of_trace
      on evaluation_scores (workspace_id, (coalesce(trace_ref, case_ref)), evaluation_id) where state = 'scored'`,
  ]
}
