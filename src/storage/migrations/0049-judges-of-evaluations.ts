/**
 * Which models and which rating scheme an evaluation has judged with. Adds a column only: evaluations of a running older server have null
 * there, and are compared as before.
 */
export function judgesOfEvaluations(): string[] {
  return ['alter table evaluations add column judged_with text']
}
