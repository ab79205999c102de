/** What the text of all calls says about the items of each variant, ready to be drawn. */

/** Wider trials are drawn with several items in one column. */
const COLUMNS_MAX = 600

export type BarKind = 'scored' | 'answered' | 'failed' | 'running' | 'waiting' | 'skipped'

export interface Bar {
  /** The first of its columns, from 0, and how many follow each other with the same look. */
  at: number
  width: number
  /** From 0 to 1: how good the scores are, on their scale. 1 for calls without a score. */
  height: number
  kind: BarKind
}

interface BarcodeRow {
  bars: Bar[]
  /** Items by what became of them. */
  counts: { best: number; some: number; worst: number; answered: number; failed: number; open: number; skipped: number }
}

export interface Barcode {
  items: number
  columns: number
  itemsPerColumn: number
  rows: BarcodeRow[]
}

interface Plan {
  variants: number
  repetitions: number
}

/** The calls of an item follow each other: by variant, then by repetition. */
export function readBarcode(compact: string, { variants, repetitions }: Plan): Barcode {
  const callsPerItem = variants * repetitions
  const items = callsPerItem === 0 ? 0 : Math.floor(compact.length / callsPerItem)
  const itemsPerColumn = Math.max(1, Math.ceil(items / COLUMNS_MAX))
  const columns = Math.ceil(items / itemsPerColumn)
  const rows = Array.from({ length: variants }, (_, variant): BarcodeRow => {
    const read = (item: number) => {
      const start = item * callsPerItem + variant * repetitions
      return cellOf(compact.slice(start, start + repetitions))
    }
    return readRow({ items, columns, itemsPerColumn }, read)
  })
  return { items, columns, itemsPerColumn, rows }
}

interface Cell {
  kind: BarKind
  height: number
}

function readRow({ items, columns, itemsPerColumn }: Omit<Barcode, 'rows'>, read: (item: number) => Cell): BarcodeRow {
  const bars: Bar[] = []
  const counts = { best: 0, some: 0, worst: 0, answered: 0, failed: 0, open: 0, skipped: 0 }
  for (let column = 0; column < columns; column += 1) {
    const cells: Cell[] = []
    for (let item = column * itemsPerColumn; item < Math.min(items, (column + 1) * itemsPerColumn); item += 1) {
      const cell = read(item)
      cells.push(cell)
      counts[countedAs(cell)] += 1
    }
    add(bars, column, together(cells))
  }
  return { bars, counts }
}

/** Of the repetitions of an item: the scores first, then what has not ended, then what has no answer. */
function cellOf(letters: string): Cell {
  const digits = [...letters].filter((letter) => letter >= '0' && letter <= '9').map(Number)
  if (digits.length > 0)
    return { kind: 'scored', height: digits.reduce((sum, one) => sum + one, 0) / digits.length / 9 }
  const kind = states.find(({ letters: known }) => [...letters].some((letter) => known.includes(letter)))?.kind
  return { kind: kind ?? 'waiting', height: 1 }
}

const states: readonly { letters: string; kind: BarKind }[] = [
  { letters: 'rt', kind: 'running' },
  { letters: 'f', kind: 'failed' },
  { letters: 'd', kind: 'answered' },
  { letters: 'q', kind: 'waiting' },
  { letters: 's', kind: 'skipped' },
]

function countedAs({ kind, height }: Cell): keyof BarcodeRow['counts'] {
  if (kind === 'scored') return height >= 1 ? 'best' : height <= 0 ? 'worst' : 'some'
  return kind === 'running' || kind === 'waiting' ? 'open' : kind
}

/** Several items in one column: their mean if any has a score, otherwise what must be seen first. */
function together(cells: readonly Cell[]): Cell {
  const scored = cells.filter(({ kind }) => kind === 'scored')
  if (scored.length > 0)
    return { kind: 'scored', height: scored.reduce((sum, { height }) => sum + height, 0) / scored.length }
  return (
    states.flatMap(({ kind }) => cells.find((cell) => cell.kind === kind) ?? []).at(0) ?? { kind: 'waiting', height: 1 }
  )
}

/** Equal neighbors are one bar, so that a finished trial is drawn with few of them. */
function add(bars: Bar[], at: number, { kind, height }: Cell): void {
  const last = bars.at(-1)
  if (last && last.kind === kind && last.height === height && last.at + last.width === at) last.width += 1
  else bars.push({ at, width: 1, kind, height })
}
