/** A header in the form of an endpoint. The value of a stored one is empty, because the server never returns it. */
export interface HeaderRow {
  key: number
  name: string
  value: string
  isStored: boolean
}

export function storedRows(names: readonly string[]): HeaderRow[] {
  return names.map((name, key) => ({ key, name, value: '', isStored: true }))
}

export function emptyRow(rows: readonly HeaderRow[]): HeaderRow {
  return { key: 1 + Math.max(-1, ...rows.map(({ key }) => key)), name: '', value: '', isStored: false }
}

/** The headers that have a value. */
export function headersOf(rows: readonly HeaderRow[]): Record<string, string> {
  return Object.fromEntries(rows.flatMap(({ name, value }) => (value === '' ? [] : [[name.trim(), value.trim()]])))
}

/** What to send so that the stored headers become those of the rows. Stored ones without a new value stay. */
export function headerChanges(
  stored: readonly string[],
  rows: readonly HeaderRow[],
): Record<string, string | null> | undefined {
  const removed = stored.filter((name) => !rows.some((row) => row.isStored && row.name === name))
  const changes = { ...Object.fromEntries(removed.map((name) => [name, null])), ...headersOf(rows) }
  return Object.keys(changes).length === 0 ? undefined : changes
}
