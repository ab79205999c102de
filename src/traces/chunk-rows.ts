/** The size of one read, write and send. Rows may have megabytes each, so bytes are limited too. */
export const CHUNK = { rows: 200, bytes: 1 << 19 } as const

/** Splits a list into chunks that are bounded in rows and in bytes. A row that exceeds the limit is a chunk by itself. */
export function chunkRows<Row extends { bytes: number }>(
  rows: readonly Row[],
  bytesMax: number = CHUNK.bytes,
): Generator<Row[]> {
  return chunkBySize(rows, ({ bytes }) => bytes, { rowsMax: CHUNK.rows, sizeMax: bytesMax })
}

/** The same for any size of a row, such as the spans of a trace. */
export function* chunkBySize<Row>(
  rows: readonly Row[],
  sizeOf: (row: Row) => number,
  { rowsMax, sizeMax }: { rowsMax?: number; sizeMax: number },
): Generator<Row[]> {
  let chunk: Row[] = []
  let held = 0
  for (const row of rows) {
    const isFull = chunk.length === rowsMax || held + sizeOf(row) > sizeMax
    if (isFull && chunk.length > 0) {
      yield chunk
      chunk = []
      held = 0
    }
    chunk.push(row)
    held += sizeOf(row)
  }
  if (chunk.length > 0) yield chunk
}
