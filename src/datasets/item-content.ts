/** What an item says, as it is kept: texts, or JSON as text. */
export type ItemContent = {
  traceRef: string | null
  input: string | null
  output: string | null
  expected: string | null
  /** The JSON text of an object. */
  metadata: string | null
}

/** A text as it is, any other value as its JSON text. Null and undefined are no content. */
export function contentText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
