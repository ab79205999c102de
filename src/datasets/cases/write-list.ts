/** The JSON of a list whose rows are read in chunks. */
export async function* writeList<Row>(
  chunks: AsyncGenerator<readonly Row[]>,
  shown: (row: Row) => unknown = (row) => row,
): AsyncGenerator<string> {
  let separator = ''
  yield '{"data":['
  for await (const rows of chunks) {
    if (rows.length === 0) continue
    yield separator + rows.map((row) => JSON.stringify(shown(row))).join()
    separator = ','
  }
  yield ']}'
}
