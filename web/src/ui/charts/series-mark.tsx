/** The baseline is a blue circle and the candidate an orange diamond, in every chart and legend. */
export type Series = 'baseline' | 'candidate' | 'corrected' | 'plain'

interface SeriesMarkProps {
  series: Series
  /** Percent, as "37.5%". */
  x: string
  y: number | string
  radius?: number
}

/** A mark inside of a chart. The ring in the color of the surface separates it from lines below. */
export function SeriesMark({ series, x, y, radius = 5 }: SeriesMarkProps) {
  return (
    <svg aria-hidden x={x} y={y} overflow="visible" data-series={series}>
      <Shape series={series} radius={radius} />
    </svg>
  )
}

/** The same mark in a line of text. */
export function SeriesIcon({ series }: { series: Series }) {
  return (
    <svg
      aria-hidden
      viewBox="-8 -8 16 16"
      className="mr-1.5 inline-block size-3 shrink-0 align-[-1px]"
      data-series={series}
    >
      <Shape series={series} radius={5.5} />
    </svg>
  )
}

function Shape({ series, radius }: { series: Series; radius: number }) {
  const className = shapes[series]
  if (series === 'baseline' || series === 'plain') return <circle r={radius} strokeWidth={1.5} className={className} />
  const reach = Math.round(radius * 1.22 * 10) / 10
  return (
    <path
      d={`M0-${reach}L${reach} 0L0 ${reach}L-${reach} 0Z`}
      strokeWidth={series === 'corrected' ? 2 : 1.5}
      className={className}
    />
  )
}

const shapes = {
  baseline: 'fill-series-1 stroke-surface',
  candidate: 'fill-series-2 stroke-surface',
  // The rate of a judge, corrected by ratings of people: hollow, because it was not measured.
  corrected: 'fill-surface stroke-series-2',
  plain: 'fill-ink stroke-surface',
}

/** The color of the interval that belongs to a mark. */
export const intervalClass = {
  baseline: 'stroke-series-1',
  candidate: 'stroke-series-2',
  corrected: 'stroke-series-2',
  plain: 'stroke-mark',
}
