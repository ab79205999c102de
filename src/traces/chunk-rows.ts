/** The size of one read, write and send. Rows may have megabytes each, so bytes are limited too. */
export const CHUNK = { rows: 200, bytes: 1 << 19 } as const

/** Splits a list into chunks that are bounded in rows and in bytes. A row that exceeds the limit is a chunk by itself. */
export function* chunkRows<Row extends { bytes: number }>(
  rows: readonly Row[],
  bytesMax: number = CHUNK.bytes,
): Generator<Row[]> {
  let chunk: Row[] = []
  let held = 0
  for (const row of rows) {
    const isFull = chunk.length === CHUNK.rows || held + row.bytes > bytesMax
    if (isFull && chunk.length > 0) {
      yield chunk
      chunk = []
      held = 0
    }
    chunk.push(row)
    held += row.bytes
  }
  if (chunk.length > 0) yield chunk
}
