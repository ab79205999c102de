/** The size of one read, write and send. Rows may have megabytes each, so bytes are limited too. */
export const PORTION = { rows: 200, bytes: 1 << 19 } as const

/** Splits a list into portions that are bounded in rows and in bytes. A row that exceeds the limit is a portion by itself. */
export function* portionsOf<Row extends { bytes: number }>(
  rows: readonly Row[],
  bytesMax: number = PORTION.bytes,
): Generator<Row[]> {
  let portion: Row[] = []
  let held = 0
  for (const row of rows) {
    const isFull = portion.length === PORTION.rows || held + row.bytes > bytesMax
    if (isFull && portion.length > 0) {
      yield portion
      portion = []
      held = 0
    }
    portion.push(row)
    held += row.bytes
  }
  if (portion.length > 0) yield portion
}
