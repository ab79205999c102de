/** Strings as they are, any other value as JSON text. Null and undefined have no content. */
export function contentText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
