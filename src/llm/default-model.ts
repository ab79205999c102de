/**
 * The model that is asked when a question names none; undefined if the connection lists none. Connections list models for conversations
 * first; those for vectors mostly say so in their name.
 */
export function defaultModelOf(models: readonly string[], purpose: 'completion' | 'embedding'): string | undefined {
  const [first] = models
  return purpose === 'completion' ? first : (models.find((name) => /embed/i.test(name)) ?? first)
}
