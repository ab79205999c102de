/** Plots of a report as SVG: the baseline is a blue circle, the candidate an orange diamond. All colors come from the style of the report. */
import type { ComparedMetric } from '../verdicts/metric-verdicts.ts'
import { type Html, html } from './html-text.ts'
import { formatValue } from './report-numbers.ts'

const WIDTH = 440
const LEFT = 16
const RIGHT = WIDTH - LEFT

type Domain = readonly [number, number]

/** The means of both runs with their intervals, on one axis. */
export function meansPlot(
  { name, baseline, candidate }: ComparedMetric,
  names: { baseline: string; candidate: string },
): Html {
  const values = [baseline, candidate].flatMap(({ mean, ci }) => [mean ?? [], ci ?? []].flat())
  const x = scaleOf(domainOf(values))
  const row = (side: 'baseline' | 'candidate', y: number) => {
    const { mean, ci } = side === 'baseline' ? baseline : candidate
    if (mean === null) return html`<text x="${LEFT}" y="${y}">no mean</text>`
    const at = x(mean)
    return html`${ci && bar(side, x(ci[0]), x(ci[1]), y)}${mark(side, at, y)}<text class="value" x="${inside(at)}" y="${y - 14}" text-anchor="middle">${cut(names[side])} ${formatValue(mean)}</text>${ci && html`<text x="${inside((x(ci[0]) + x(ci[1])) / 2)}" y="${y + 22}" text-anchor="middle">${formatValue(ci[0])} to ${formatValue(ci[1])}</text>`}`
  }
  return html`<svg viewBox="0 0 ${WIDTH} 170" role="img" aria-label="Means of ${name} with 95 % intervals">${ticks(domainOf(values), x, 150)}${row('baseline', 40)}${row('candidate', 104)}</svg>`
}

/** The difference or ratio with its interval, no change as a line, and the margin as a dashed one with the side beyond it shaded. */
export function differencePlot(metric: ComparedMetric, margin: number | null): Html {
  const { name, higherIsBetter, ratio } = metric
  const isRatio = ratio !== null
  const [change, ci] = isRatio ? [ratio, metric.ratioCi] : [metric.difference, metric.ci]
  if (change === null) return html`<p class="faint">No difference could be computed.</p>`
  const none = isRatio ? 1 : 0
  const limit = margin === null ? null : limitOf(margin, { isRatio, higherIsBetter })
  const domain = domainOf([none, change, ...(ci ?? []), ...(limit === null ? [] : [limit])])
  const x = scaleOf(domain)
  const beyond = limit === null ? null : higherIsBetter ? [LEFT, x(limit)] : [x(limit), RIGHT]
  const at = x(change)
  const text = (value: number) => (isRatio ? `${formatValue(value)} ×` : formatValue(value, 'signed'))
  return html`<svg viewBox="0 0 ${WIDTH} 170" role="img" aria-label="${isRatio ? 'Ratio' : 'Difference'} of ${name} with its 95 % interval">${beyond && html`<rect class="beyond" x="${round(beyond[0] ?? 0)}" y="8" width="${round(Math.max(0, (beyond[1] ?? 0) - (beyond[0] ?? 0)))}" height="124"></rect>`}${ticks(domain, x, 150)}<line class="zero" x1="${x(none)}" x2="${x(none)}" y1="8" y2="132"></line>${limit !== null ? html`<line class="margin" x1="${x(limit)}" x2="${x(limit)}" y1="8" y2="132"></line>` : null}${ci && bar('candidate', x(ci[0]), x(ci[1]), 72)}${mark('candidate', at, 72)}<text class="value" x="${inside(at)}" y="56" text-anchor="middle">${text(change)}</text>${ci && html`<text x="${inside((x(ci[0]) + x(ci[1])) / 2)}" y="96" text-anchor="middle">${text(ci[0])} to ${text(ci[1])}</text>`}</svg>`
}

/** The worst value that keeps the margin; null if the number is no margin of this metric. */
function limitOf(
  margin: number,
  { isRatio, higherIsBetter }: { isRatio: boolean; higherIsBetter: boolean },
): number | null {
  if (!isRatio) return higherIsBetter ? -margin : margin
  if (!(margin > 1)) return null
  return higherIsBetter ? 1 / margin : margin
}

/** The same in a row of a table, as a share of the metric’s scale. Right is better. */
export function differenceGlyph({ difference, ci, scale, higherIsBetter }: ComparedMetric, reach: number): Html | null {
  if (difference === null || scale === null || scale[1] === scale[0]) return null
  const sign = higherIsBetter ? 1 : -1
  const x = (value: number) => round(70 + (62 * sign * value) / (scale[1] - scale[0]) / reach)
  const ends = ci && [x(ci[0]), x(ci[1])].sort((a, b) => a - b)
  return html`<svg class="glyph" viewBox="0 0 140 20" aria-hidden="true"><line class="zero" x1="70" x2="70" y1="2" y2="18"></line>${ends && bar('candidate', ends[0] ?? 0, ends[1] ?? 0, 10)}${mark('candidate', x(difference), 10)}</svg>`
}

/** The greatest end of an interval as a share of its scale: all glyphs share it. */
export function reachOf(metrics: readonly ComparedMetric[]): number {
  const shares = metrics.flatMap(({ difference, ci, scale }) =>
    scale === null || scale[1] === scale[0]
      ? []
      : [difference ?? 0, ...(ci ?? [])].map((value) => Math.abs(value) / (scale[1] - scale[0])),
  )
  return Math.max(0.001, ...shares)
}

function bar(side: string, from: number, to: number, y: number): Html {
  return html`<line class="${side} bar" x1="${from}" x2="${to}" y1="${y}" y2="${y}"></line>`
}

function mark(side: 'baseline' | 'candidate', x: number, y: number): Html {
  if (side === 'baseline') return html`<circle class="baseline mark" cx="${x}" cy="${y}" r="7"></circle>`
  return html`<path class="candidate mark" d="M${x} ${y - 8}L${round(x + 8)} ${y}L${x} ${y + 8}L${round(x - 8)} ${y}Z"></path>`
}

function domainOf(values: readonly number[]): Domain {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (!(low < high)) return [low - 1, low + 1]
  const space = (high - low) * 0.12
  return [low - space, high + space]
}

function scaleOf([low, high]: Domain): (value: number) => number {
  return (value) => round(LEFT + ((value - low) / (high - low)) * (RIGHT - LEFT))
}

/** Some round numbers on the axis. */
function ticks([low, high]: Domain, x: (value: number) => number, y: number): Html[] {
  const raw = (high - low) / 6
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = ([1, 2, 5, 10].find((one) => one * power >= raw) ?? 10) * power
  const first = Math.ceil(low / step)
  const count = Math.max(0, Math.floor(high / step) - first + 1)
  return Array.from({ length: Math.min(count, 9) }, (_, place) => {
    const value = (first + place) * step
    return html`<line class="axis" x1="${x(value)}" x2="${x(value)}" y1="8" y2="132"></line><text x="${inside(x(value))}" y="${y}" text-anchor="middle">${formatValue(Number(value.toPrecision(6)))}</text>`
  })
}

/** Keeps a centered text inside the plot. */
function inside(x: number): number {
  return Math.min(RIGHT - 40, Math.max(LEFT + 40, x))
}

function cut(name: string): string {
  const characters = [...name]
  return characters.length > 24 ? `${characters.slice(0, 24).join('')}…` : name
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
