/** What is read, written out and sent at once. Rows may hold megabytes each, so bytes count, and not only rows. */
const PORTION = { rows: 200, bytes: 1 << 19 } as const

/** Cuts a list into runs that are bounded both in number and in how much they hold; what is larger by itself stands alone. */
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
