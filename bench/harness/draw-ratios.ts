/** A plot as SVG: each line as a dot at its figure divided by its bar, so that 1 is the bar of all of them. */
import type { Figure } from './figure.ts'
import { groupOf, type RecordedFigure } from './recorded-figures.ts'

const WIDTH = 1_000
const LABEL_WIDTH = 500
const VALUE_WIDTH = 150
const ROW_HEIGHT = 20
const HEAD_HEIGHT = 56
const FOOT_HEIGHT = 20
const LABEL_LENGTH_MAX = 76
/** Powers of two at the ends of the axis. Figures beyond it are drawn at the end; their number is in the text. */
const [AXIS_LOW, AXIS_HIGH] = [-4, 3]
const TICKS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8]

/** With a background of its own: a page with another theme than the system must not make the text unreadable. */
const STYLE = `
  .ground { fill: #fffefb } .band { fill: #f0ece2 } .grid { stroke: #e2ddd1 } .bar { stroke: #57513f; stroke-width: 1.5 }
  .text { fill: #1f1c17 } .soft { fill: #57513f } .met { fill: #1f6444; stroke: #1f6444 } .missed { fill: #a52a1c; stroke: #a52a1c }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #1c1a17 } .band { fill: #2a2722 } .grid { stroke: #322f29 } .bar { stroke: #bab3a3 }
    .text { fill: #f0ece3 } .soft { fill: #bab3a3 } .met { fill: #7fd0a5; stroke: #7fd0a5 } .missed { fill: #ff9a8c; stroke: #ff9a8c }
  }
  text { font: 12px system-ui, sans-serif } .bold { font-weight: 600 }`

type Barred = Figure & { bar: number }
type Row = { heading: string } | { label: string; figure: Barred }

export function drawRatios(recorded: ReadonlyMap<string, RecordedFigure>): string {
  const rows = rowsOf(recorded)
  const height = HEAD_HEIGHT + rows.length * ROW_HEIGHT + FOOT_HEIGHT
  const figures = rows.flatMap((row) => ('figure' in row ? [row.figure] : []))
  const missed = figures.filter((figure) => isMissed(figure)).length
  const summary = `${figures.length} figures relative to their limits: ${figures.length - missed} within, ${missed} beyond`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(summary)}">`,
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>`,
    text({ x: 16, y: 24, classes: 'text bold' }, summary),
    text(
      { x: 16, y: 42, classes: 'soft' },
      `${origin(recorded)}. Left of 1: better than the limit. Lines: all rounds.`,
    ),
    ...TICKS.flatMap((tick) => drawTick(tick, height)),
    ...rows.flatMap((row, place) => drawRow(row, HEAD_HEIGHT + place * ROW_HEIGHT)),
    '</svg>\n',
  ].join('\n')
}

function rowsOf(recorded: ReadonlyMap<string, RecordedFigure>): Row[] {
  const rows: Row[] = []
  let group: string | undefined
  for (const [name, figure] of recorded) {
    const { bar } = figure
    // Nothing can be divided by a bar of 0, which counts errors.
    if (bar === undefined || bar <= 0) continue
    if (groupOf(name) !== group) {
      group = groupOf(name)
      rows.push({ heading: group })
    }
    rows.push({ label: name.slice(group.length + 2), figure: { ...figure, bar } })
  }
  return rows
}

function origin(recorded: ReadonlyMap<string, RecordedFigure>): string {
  const dates = [...new Set([...recorded.values()].map(({ date }) => date))].sort()
  const span = dates.length > 1 ? `${dates[0]} to ${dates.at(-1)}` : (dates[0] ?? 'nothing')
  const isQuick = [...recorded.values()].some(({ effort }) => effort === 'quick')
  return `Recorded ${span}${isQuick ? ', with little effort (--quick)' : ''}`
}

function drawTick(tick: number, height: number): string[] {
  const x = place(tick)
  const label = tick < 1 ? `1/${1 / tick}` : `${tick}`
  return [
    `<line class="${tick === 1 ? 'bar' : 'grid'}" x1="${x}" x2="${x}" y1="${HEAD_HEIGHT}" y2="${height - FOOT_HEIGHT}"/>`,
    text({ x, y: height - 6, classes: tick === 1 ? 'text bold' : 'soft', anchor: 'middle' }, label),
  ]
}

function drawRow(row: Row, top: number): string[] {
  const y = top + ROW_HEIGHT / 2
  const base = y + 4
  if ('heading' in row) {
    return [
      `<rect class="band" x="8" y="${top + 1}" width="${LABEL_WIDTH - 16}" height="${ROW_HEIGHT - 2}" rx="3"/>`,
      text({ x: 16, y: base, classes: 'soft bold' }, row.heading),
    ]
  }
  const { label, figure } = row
  const classes = isMissed(figure) ? 'missed' : 'met'
  const [low, high] = figure.spread ?? [figure.value, figure.value]
  const x = place(relative(figure, figure.value))
  // The shape differs, too: color alone would not be visible to everyone.
  const mark = isMissed(figure)
    ? `<path class="${classes}" d="M${x} ${y - 6}l6 6l-6 6l-6 -6z"/>`
    : `<circle class="${classes}" cx="${x}" cy="${y}" r="4"/>`
  const ends = [place(relative(figure, low)), place(relative(figure, high))]
  const amounts = `${amount(figure.value, figure.unit)} of ${amount(figure.bar, figure.unit)}`
  return [
    text({ x: 24, y: base, classes: 'text' }, shortened(label)),
    `<line class="${classes}" x1="${ends[0]}" x2="${ends[1]}" y1="${y}" y2="${y}" stroke-width="2"/>`,
    mark,
    text({ x: WIDTH - 16, y: base, classes: `text${isMissed(figure) ? ' bold' : ''}`, anchor: 'end' }, amounts),
  ]
}

/** More than 1 is worse than the bar, in either direction. */
function relative({ better, bar }: Barred, value: number): number {
  return better === 'less' ? value / bar : bar / value
}

function isMissed(figure: Barred): boolean {
  return relative(figure, figure.value) > 1
}

function place(ratio: number): number {
  const power = Math.min(AXIS_HIGH, Math.max(AXIS_LOW, Math.log2(ratio)))
  const share = (power - AXIS_LOW) / (AXIS_HIGH - AXIS_LOW)
  return Number((LABEL_WIDTH + share * (WIDTH - LABEL_WIDTH - VALUE_WIDTH)).toFixed(1))
}

function amount(value: number, unit: string): string {
  const number = value.toLocaleString('en-US', { maximumFractionDigits: 2 })
  return unit === 'x' ? `${number}x` : `${number} ${unit}`.trim()
}

function shortened(label: string): string {
  return label.length > LABEL_LENGTH_MAX ? `${label.slice(0, LABEL_LENGTH_MAX - 1)}…` : label
}

type TextPlace = { x: number; y: number; classes: string; anchor?: 'middle' | 'end' }

function text({ x, y, classes, anchor }: TextPlace, content: string): string {
  const anchored = anchor ? ` text-anchor="${anchor}"` : ''
  return `<text x="${x}" y="${y}" class="${classes}"${anchored}>${escaped(content)}</text>`
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
