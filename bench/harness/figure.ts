/** The number of a printed line, in a form that can be recorded and compared with that of another run. */
import type { Line } from './line.ts'

export type Figure = {
  value: number
  /** `x` for ratios, empty for amounts per CPU second. */
  unit: string
  better: 'less' | 'more'
  bar?: number
  /** The lowest and the highest of all rounds. */
  spread?: [number, number]
  /**
   * What runs on different machines or days can be compared by: a ratio measured within one run. Lines of memory, of delays and
   * of times by the clock have none.
   */
  ratio?: number
}

/** With the cost of the yardstick at the time of the line: the load of the machine changes within a run. */
export type MeasuredLine = Line & { yardstickMicros: number }

export type Group = { name: string; lines: MeasuredLine[] }

/** The figures of a group by name. An indented line is part of the line above it, and names of parts repeat. */
export function figuresOf({ name: group, lines }: Group): Map<string, Figure> {
  const figures = new Map<string, Figure>()
  let whole = ''
  for (const line of lines) {
    const isPart = line.name.startsWith(' ')
    if (!isPart) whole = line.name
    const name = `${group}: ${isPart ? `${whole}, ${line.name.trim()}` : line.name}`
    const figure = figureOf(line)
    if (figures.has(name)) throw new Error(`two lines have the name ${name}`)
    if (figure) figures.set(name, figure)
  }
  return figures
}

/** Undefined for shares in percent: they are coverages of intervals, which have a range and no better side. */
function figureOf({ name, value: text, bar: barText, detail, yardstickMicros }: MeasuredLine): Figure | undefined {
  const { value, unit } = parseAmount(text)
  if (unit === '%') return undefined
  const bar = /^([<>])= (.*)$/.exec(barText ?? '')
  const better = bar?.[1] === '>' || (unit === '' && !bar) ? 'more' : 'less'
  const spread = /^([\d.]+)-([\d.]+)/.exec(detail)
  const ratio = ratioOf({ value, unit, better, isCpuTime: name.startsWith('CPU: ') }, yardstickMicros)
  return {
    value,
    unit,
    better,
    ...(bar && { bar: parseAmount(bar[2] ?? '').value }),
    ...(spread && { spread: [Number(spread[1]), Number(spread[2])] satisfies [number, number] }),
    ...(ratio !== undefined && { ratio }),
  }
}

function parseAmount(text: string): { value: number; unit: string } {
  const [, number = '', unit = ''] = /^(-?[\d.]+) ?(.*)$/.exec(text.trim()) ?? []
  const value = Number(number)
  if (number === '' || !Number.isFinite(value)) throw new Error(`"${text}" has no number`)
  return { value, unit }
}

type Amount = Pick<Figure, 'value' | 'unit' | 'better'> & { isCpuTime: boolean }

/** CPU time becomes a ratio by the CPU time of a fixed computation in the same run. */
function ratioOf({ value, unit, better, isCpuTime }: Amount, yardstickMicros: number): number | undefined {
  if (unit === 'x') return value
  if (unit === '' && better === 'more') return rounded((value * yardstickMicros) / 1e6)
  if (unit === 'ms' && isCpuTime) return rounded((value * 1_000) / yardstickMicros)
  return undefined
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
