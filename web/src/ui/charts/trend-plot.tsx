import type { ReactNode } from 'react'
import { formatCount, formatScore } from '../format-number.ts'
import { ChartWithTable } from './chart-with-table.tsx'
import { describeEstimate, type Estimate, type FormatValue, hasMean, type MeanEstimate } from './estimate.ts'
import { niceDomain } from './percent-scale.ts'
import { type Series, SeriesMark } from './series-mark.tsx'
import { linearScale, linearTicks } from './ticks.ts'
import { ValueLabels, ValueLines } from './value-axis.tsx'

export interface TrendPoint {
  /** The version: "v14". */
  label: string
  /** When it was measured: "14 Nov". */
  date: string
  estimate: Estimate
  series?: Series
  /** Why this point must not be compared with the one before: "dataset revised". The line is broken here. */
  breakBefore?: string
}

interface TrendPlotProps {
  title: string
  note?: string
  points: TrendPoint[]
  format?: FormatValue
  /** Controls of the chart, at the right of its title. */
  actions?: ReactNode
}

const height = 176
const inset = 10

/** Means with intervals by version. */
export function TrendPlot({ title, note, points, actions, format = formatScore }: TrendPlotProps) {
  const known = points.flatMap(({ estimate }) => (hasMean(estimate) ? [estimate.low, estimate.high] : []))
  return (
    <ChartWithTable
      title={title}
      note={note}
      actions={actions}
      summary={points.map((point) => describePoint(point, format)).join('. ')}
      table={{
        columns: [
          { title: 'Version' },
          { title: 'Date' },
          { title: 'Mean, 95\u202f% interval and n' },
          { title: 'Note' },
        ],
        rows: points.map(({ label, date, estimate, breakBefore }) => [
          label,
          date,
          describeEstimate(estimate, format),
          breakBefore ?? '',
        ]),
      }}
    >
      {known.length === 0 ? (
        <TooFewCases points={points} />
      ) : (
        <Plot title={title} points={points} format={format} known={known} />
      )}
    </ChartWithTable>
  )
}

/** Without a mean there is nothing to draw: axes alone would look like a chart that failed to load. */
function TooFewCases({ points }: { points: TrendPoint[] }) {
  return (
    <ul className="flex flex-col gap-1 text-data text-soft">
      {points.slice(-SUMMARIES_SHOWN).map(({ label, date, estimate }) => (
        <li key={label}>
          <b className="font-semibold text-ink">{label}</b>, {date}: {describeEstimate(estimate)}
        </li>
      ))}
    </ul>
  )
}

const SUMMARIES_SHOWN = 5

interface PlotProps {
  title: string
  points: TrendPoint[]
  format: FormatValue
  /** The ends of all intervals; at least one. */
  known: number[]
}

function Plot({ title, points, format, known }: PlotProps) {
  const domain = niceDomain(known)
  const y = linearScale(domain, [height - inset, inset])
  const ticks = linearTicks(domain, 5)
  const xOf = (index: number) => ((index + 0.5) / points.length) * 100
  return (
    // Narrow columns scroll sideways instead of squeezing the labels.
    <section
      aria-label={`${title}, chart`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      className="overflow-x-auto"
    >
      <div aria-hidden className="relative" style={{ minWidth: 40 + points.length * 72 }}>
        <div className="relative mr-5 ml-8">
          <div className="relative h-5">
            {points.map(({ label }, index) => (
              <Label key={label} at={xOf(index)} className={index === points.length - 1 ? 'text-ink' : 'text-soft'}>
                <b className="text-meta font-semibold">{label}</b>
              </Label>
            ))}
          </div>
          <div className="relative">
            <svg aria-hidden height={height} className="block w-full overflow-visible">
              <ValueLines ticks={ticks} y={y} />
              {points.map((point, index) => (
                <Segment key={point.label} points={points} index={index} xOf={xOf} y={y} />
              ))}
              {points.map(({ label, estimate, series = 'plain' }, index) =>
                hasMean(estimate) ? (
                  <Whisker key={label} estimate={estimate} series={series} x={`${xOf(index)}%`} y={y} />
                ) : null,
              )}
            </svg>
            <ValueLabels ticks={ticks} y={y} format={format} />
            {points.map(({ label, estimate, breakBefore }, index) => (
              <PointText key={label} estimate={estimate} x={xOf(index)} y={y} format={format}>
                {breakBefore && (
                  <span
                    className="absolute bottom-1 w-24 -translate-x-1/2 rounded-sm bg-surface/90 text-center text-[11px] leading-3.5 text-gold-ink"
                    style={{ left: `${xOf(index - 0.5)}%` }}
                  >
                    {breakBefore}, line is broken
                  </span>
                )}
              </PointText>
            ))}
          </div>
          <div className="relative mt-1 h-8">
            {points.map(({ label, date, estimate }, index) => (
              <Label key={label} at={xOf(index)} className="text-center text-[11px] leading-4 text-faint tabular-nums">
                {date}
                <br />
                {hasMean(estimate) && `n ${formatCount(estimate.n)}`}
              </Label>
            ))}
          </div>
        </div>
      </div>
    </section>
  )
}

type ScaleY = (value: number) => number

/** The line from the point before, or the mark of a break. */
function Segment({
  points,
  index,
  xOf,
  y,
}: {
  points: TrendPoint[]
  index: number
  xOf: (i: number) => number
  y: ScaleY
}) {
  const before = points[index - 1]
  const point = points[index]
  if (!before || !point) return null
  if (point.breakBefore !== undefined) {
    const x = `${xOf(index - 0.5)}%`
    return (
      <line x1={x} x2={x} y1={0} y2={height - 34} className="stroke-gold" strokeDasharray="3 3" data-line="break" />
    )
  }
  if (!hasMean(before.estimate) || !hasMean(point.estimate)) return null
  return (
    <line
      x1={`${xOf(index - 1)}%`}
      x2={`${xOf(index)}%`}
      y1={y(before.estimate.mean)}
      y2={y(point.estimate.mean)}
      strokeWidth={1.25}
      strokeDasharray="1 3"
      strokeLinecap="round"
      className="stroke-edge"
      data-line="trend"
    />
  )
}

function Whisker({ estimate, series, x, y }: { estimate: MeanEstimate; series: Series; x: string; y: ScaleY }) {
  const top = y(estimate.high)
  const bottom = y(estimate.low)
  return (
    <>
      <line x1={x} x2={x} y1={bottom} y2={top} strokeWidth={7} className={`opacity-20 ${whiskerClass[series]}`} />
      <svg aria-hidden x={x} overflow="visible">
        <path
          d={`M-3.5 ${top}h7M-3.5 ${bottom}h7M0 ${bottom}V${top}`}
          fill="none"
          strokeWidth={1.25}
          className={whiskerClass[series]}
        />
      </svg>
      <SeriesMark series={series} x={x} y={y(estimate.mean)} radius={series === 'plain' ? 3.5 : 5.5} />
    </>
  )
}

const whiskerClass = {
  baseline: 'stroke-series-1',
  candidate: 'stroke-series-2',
  corrected: 'stroke-series-2',
  plain: 'stroke-mark',
}

interface PointTextProps {
  estimate: Estimate
  x: number
  y: ScaleY
  format: FormatValue
  children: ReactNode
}

function PointText({ estimate, x, y, format, children }: PointTextProps) {
  if (!hasMean(estimate)) {
    return (
      <Label at={x} className="top-1/2 w-16 text-center text-[11px] leading-3.5 whitespace-normal text-faint">
        <span className="line-clamp-4">{estimate.summary}</span>
        {children}
      </Label>
    )
  }
  return (
    <>
      <span
        data-estimate
        className="absolute ml-2.5 text-meta font-semibold tabular-nums"
        style={{ left: `${x}%`, top: y(estimate.mean) - 1 }}
      >
        <span data-mean>{format(estimate.mean)}</span>
        <span className="sr-only"> n {estimate.n}</span>
      </span>
      {children}
    </>
  )
}

function Label({ at, className, children }: { at: number; className: string; children: ReactNode }) {
  return (
    <span className={`absolute -translate-x-1/2 whitespace-nowrap ${className}`} style={{ left: `${at}%` }}>
      {children}
    </span>
  )
}

function describePoint({ label, date, estimate, breakBefore }: TrendPoint, format: FormatValue): string {
  const text = `${label}, ${date}: ${describeEstimate(estimate, format)}`
  return breakBefore ? `${breakBefore}, line is broken. ${text}` : text
}
