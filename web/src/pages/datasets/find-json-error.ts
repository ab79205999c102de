/** Why a text is not the metadata of an item; undefined if it is. */
export function findJsonError(text: string): string | undefined {
  if (text.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined
    return 'Metadata is a JSON object, such as {"channel": "mail"}.'
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

export function readMetadata(text: string): Record<string, unknown> {
  return text.trim() === '' ? {} : JSON.parse(text)
}
