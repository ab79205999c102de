import type { FormatValue } from './estimate.ts'

interface ValueAxisProps {
  ticks: number[]
  /** The distance of a value from the top, in pixels. */
  y: (value: number) => number
}

/** Lines across a plot, for its SVG. */
export function ValueLines({ ticks, y }: ValueAxisProps) {
  return ticks.map((tick) => (
    <line key={tick} x1="0" x2="100%" y1={y(tick)} y2={y(tick)} className="stroke-line" strokeDasharray="2 4" />
  ))
}

/** The values at the left of a plot. HTML and not SVG, so that they keep their size and font when the plot stretches. */
export function ValueLabels({ ticks, y, format }: ValueAxisProps & { format: FormatValue }) {
  return ticks.map((tick) => (
    <span
      key={tick}
      className="absolute right-full mr-2 -translate-y-1/2 text-[11px] leading-4 whitespace-nowrap text-faint tabular-nums"
      style={{ top: y(tick) }}
    >
      {format(tick)}
    </span>
  ))
}
