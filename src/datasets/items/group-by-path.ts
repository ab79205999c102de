/** `metadata.document` or `metadata.source.file`: a field of the metadata of items. Names of fields cannot have a dot. */
export const GROUP_BY_PATTERN = '^metadata(\\.[^.]+)+$'
export const GROUP_BY_LENGTH_MAX = 200

/**
 * The group of an item, from the JSON text of its metadata; undefined if it has no value there. Equal values of one type
 * are one group: the text "1" and the number 1 are two.
 */
export function groupAt(groupBy: string, metadata: string | null): string | undefined {
  let value: unknown = metadata === null ? null : JSON.parse(metadata)
  for (const name of groupBy.split('.').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    const fields: Record<string, unknown> = { ...value }
    value = fields[name]
  }
  return value === null || value === undefined || value === '' ? undefined : JSON.stringify(value)
}
