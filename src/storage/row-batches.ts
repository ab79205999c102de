export type RowValue = string | number | bigint | null

const ROWS_MAX = 1_000
/** A row has up to some megabytes of text. A batch is in memory several times: as rows, as JSON, and in the server. */
const CHARACTERS_MAX = 4 << 20

/** Rows in batches of bounded size, read only as they are needed. */
export function* cutIntoBatches(
  rows: Iterable<readonly RowValue[]>,
  { rowsMax, charactersMax } = { rowsMax: ROWS_MAX, charactersMax: CHARACTERS_MAX },
): Generator<(readonly RowValue[])[]> {
  let batch: (readonly RowValue[])[] = []
  let characters = 0
  for (const row of rows) {
    batch.push(row)
    for (const value of row) characters += typeof value === 'string' ? value.length : 1
    if (batch.length < rowsMax && characters < charactersMax) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** A row as a text that is the same for both engines if its values are: integers are exact, and timestamps have one form. */
export function comparableRow({ columns }: { columns: { type: string }[] }, row: readonly unknown[]): string {
  const values = row.map((value, place) => {
    if (typeof value === 'bigint') return String(value)
    const isTimestamp = columns[place]?.type === 'timestamptz' && typeof value === 'string'
    return isTimestamp ? new Date(value).toISOString() : value
  })
  return JSON.stringify(values)
}
