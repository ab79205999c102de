import { escapeLine } from './escape-text.ts'
import type { Terminal } from './terminal.ts'

const GAP = '  '
const WIDTH_MIN = 8

/** Aligned columns that fit on a terminal; otherwise tab-separated lines with nothing cut, for programs. */
export function printTable(terminal: Terminal, header: string[], rows: unknown[][]): void {
  const lines = [header, ...rows.map((row) => row.map(cellText))].map((row) => row.map(escapeLine))
  if (!terminal.isTerminal) {
    for (const line of lines) terminal.data(`${line.join('\t')}\n`)
    return
  }
  const widths = fitWidths(lines, terminal.columns ?? 80)
  for (const [number, line] of lines.entries()) {
    const text = line.map((cell, column) => pad(cut(cell, widths[column] ?? 0), widths[column] ?? 0)).join(GAP)
    terminal.data(`${number === 0 ? terminal.paint('bold', text.trimEnd()) : text.trimEnd()}\n`)
  }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The widest columns give way first. */
function fitWidths(lines: string[][], available: number): number[] {
  const columns = lines[0]?.length ?? 0
  const widths = Array.from({ length: columns }, (_, column) =>
    lines.reduce((widest, line) => Math.max(widest, textWidth(line[column] ?? '')), 0),
  )
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (columns - 1)
  while (total() > available) {
    const widest = widths.indexOf(Math.max(...widths))
    const width = widths[widest] ?? 0
    if (width <= WIDTH_MIN) break
    widths[widest] = Math.max(WIDTH_MIN, width - (total() - available))
  }
  return widths
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  for (const character of text) {
    if (textWidth(kept) + textWidth(character) > width - 1) break
    kept += character
  }
  return `${kept}…`
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u
const ZERO = /\p{Mark}|[\u200b-\u200d]/u

/** Columns on a terminal: East Asian characters and emoji need two, combining marks none. */
function textWidth(text: string): number {
  let width = 0
  for (const character of text) width += ZERO.test(character) ? 0 : WIDE.test(character) && character > '\u00ff' ? 2 : 1
  return width
}
