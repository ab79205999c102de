import { stringify } from 'csv-stringify/sync'
import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Uploaded } from '../../http/route.ts'
import { guardCell } from '../files/formula-guard.ts'
import { BAD_ROW_COLUMNS } from './column-mapping.ts'
import { type BadSource, readImportFile } from './read-import-file.ts'

/** Of a few milliseconds each. */
const ROWS_PER_TURN = 500
const CELLS_PER_TURN = 5_000
/** Quoting needs a microsecond for a hundred characters, so longer rows are quoted in parts. */
const QUOTED_LENGTH_MAX = 1 << 18

/**
 * All bad rows of a file as CSV, each with its row, column and reason, to be corrected and imported by itself. A row of CSV has its own
 * cells; one of JSON has its text in one column.
 */
export async function badRowsCsv(file: Uploaded, mapping: string | undefined): Promise<AsyncGenerator<string>> {
  const sources: BadSource[] = []
  const read = await readImportFile(file, mapping, (bad) => sources.push(bad))
  const columns = read.format === 'csv' ? read.mapping.map(({ column }) => column) : ['entry']
  return csvOf(columns, sources)
}

async function* csvOf(columns: string[], sources: readonly BadSource[]): AsyncGenerator<string> {
  const widest = sources.reduce(
    (cells, { source }) => Math.max(cells, typeof source === 'string' ? 1 : source.length),
    1,
  )
  yield csvText([[...columns, ...BAD_ROW_COLUMNS]])
  for (const chunk of chunksOf(sources, Math.max(1, Math.min(ROWS_PER_TURN, Math.floor(CELLS_PER_TURN / widest))))) {
    const rows = chunk.filter(({ source }) => source.length <= QUOTED_LENGTH_MAX || typeof source !== 'string')
    yield csvText(rows.map((bad) => cellsOf(columns.length, bad)))
    for (const one of chunk) if (!rows.includes(one)) yield* longRowOf(one)
    await yieldToEventLoop()
  }
}

/** A row of JSON, in one column. */
async function* longRowOf({ bad, source }: BadSource): AsyncGenerator<string> {
  const text = guardCell(String(source))
  for (let start = 0; start < text.length; start += QUOTED_LENGTH_MAX) {
    const part = text.slice(start, start + QUOTED_LENGTH_MAX).replaceAll('"', '""')
    yield start === 0 ? `"${part}` : part
    await yieldToEventLoop()
  }
  yield `",${csvText([[String(bad.row), bad.column, bad.reason]])}`
}

/** Cells beyond the last column come after the reason, so that those of a column stay under its name. */
function cellsOf(width: number, { bad, source }: BadSource): (string | null)[] {
  const cells = typeof source === 'string' ? [source] : source
  const own = Array.from({ length: width }, (_, place) => cells[place] ?? null)
  return [...own, String(bad.row), bad.column, bad.reason, ...cells.slice(width)]
}

function csvText(rows: (string | null)[][]): string {
  const guarded = rows.map((cells) => cells.map((cell) => (cell === null ? null : guardCell(cell))))
  return stringify(guarded, { quoted_string: true, record_delimiter: '\r\n' })
}
