/** What distinguishes a run from others, such as model, prompt and commit: a JSON object, or null. */
export function runMetadata(): string[] {
  return ['alter table runs add column metadata text']
}
