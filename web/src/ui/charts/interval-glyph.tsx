import { type Change, type Estimate, hasMean, NO_CHANGE } from './estimate.ts'
import { percentScale } from './percent-scale.ts'
import { intervalClass, type Series, SeriesMark } from './series-mark.tsx'

interface IntervalSeries {
  series: Series
  estimate: Estimate
  /** The interval includes "no difference": drawn paler. */
  isUnclear?: boolean
}

interface IntervalGlyphProps {
  marks: IntervalSeries[]
  domain: readonly [number, number]
  /** Draws a line at "no change". */
  change?: Change
  /** The worst difference that a gate allows. */
  margin?: number
  className?: string
}

const rowHeight = 9

/** Track, 95 % bar and point; one row for each series. Only the picture: the numbers are printed by the caller. */
export function IntervalGlyph({ marks, domain, change, margin, className = '' }: IntervalGlyphProps) {
  const scale = percentScale(domain, change)
  const drawn = marks.flatMap(({ estimate, ...mark }) => (hasMean(estimate) ? [{ ...mark, estimate }] : []))
  const height = Math.max(16, drawn.length * rowHeight + 4)
  return (
    <svg aria-hidden height={height} className={`block w-full overflow-visible ${className}`}>
      <line x1="0" x2="100%" y1={height / 2} y2={height / 2} className="stroke-edge/35" strokeWidth={1.5} />
      {change && (
        <line
          x1={scale.x(NO_CHANGE[change])}
          x2={scale.x(NO_CHANGE[change])}
          y1={-2}
          y2={height + 2}
          className="stroke-soft"
          data-line="no change"
        />
      )}
      {margin !== undefined && (
        <line
          x1={scale.x(margin)}
          x2={scale.x(margin)}
          y1={-2}
          y2={height + 2}
          className="stroke-gold"
          strokeWidth={1.5}
          strokeDasharray="3 2"
          data-line="margin"
        />
      )}
      {drawn.map(({ series, estimate, isUnclear }, index) => {
        const y = height / 2 + (index - (drawn.length - 1) / 2) * rowHeight
        return (
          <g key={series}>
            <line
              x1={scale.x(estimate.low)}
              x2={scale.x(estimate.high)}
              y1={y}
              y2={y}
              strokeWidth={series === 'plain' ? 4 : 2.5}
              strokeLinecap="round"
              strokeDasharray={series === 'corrected' ? '3 3' : undefined}
              className={`${intervalClass[series]} ${isUnclear ? 'opacity-55' : ''}`}
            />
            <SeriesMark series={series} x={scale.x(estimate.mean)} y={y} radius={drawn.length > 1 ? 3.2 : 4} />
          </g>
        )
      })}
    </svg>
  )
}
