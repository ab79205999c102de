/** Finds the trial of an evaluation. Adds an index only: a running older server counts the openings of a trial one by one. */
export function trialsOfEvaluations(): string[] {
  return [
    `create index trial_variants_by_evaluation on trial_variants (workspace_id, evaluation_id)
      where evaluation_id is not null`,
  ]
}
