/** A text as it is, any other value as its JSON text. Null and undefined are no content. */
export function contentText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
