/**
 * The model for requests that name none; undefined if the connection lists none. Connections list chat models first; the names of
 * embedding models mostly contain "embed".
 */
export function defaultModelOf(models: readonly string[], purpose: 'completion' | 'embedding'): string | undefined {
  const [first] = models
  return purpose === 'completion' ? first : (models.find((name) => /embed/i.test(name)) ?? first)
}
