import type { ReactNode } from 'react'
import { AxisLabels } from '../../ui/charts/axis-labels.tsx'
import { ChartWithTable } from '../../ui/charts/chart-with-table.tsx'
import {
  describeEstimate,
  type Estimate,
  type FormatValue,
  hasMean,
  type MeanEstimate,
} from '../../ui/charts/estimate.ts'
import { niceDomain, type PercentScale, percentScale } from '../../ui/charts/percent-scale.ts'
import { linearScale, linearTicks } from '../../ui/charts/ticks.ts'
import { formatMoment, type TimeRange, timeTicks } from '../../ui/charts/time-buckets.ts'
import { ValueLabels, ValueLines } from '../../ui/charts/value-axis.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { HrefLink } from '../shell/href-link.tsx'

export interface TimeSeries {
  name: string
  /** In order; `start` in milliseconds since 1970. */
  points: { start: number; estimate: Estimate }[]
}

interface TimeMark {
  time: number
  /** The new version: "v7". */
  label: string
  /** The change in words: "prompt v6 → v7". */
  text: string
  href: string
}

interface TimePlotProps {
  title: string
  note?: string
  range: TimeRange
  bucketMs: number
  /** At most two. */
  series: TimeSeries[]
  marks: TimeMark[]
  format: FormatValue
  /** One more column of the table. */
  extra?: { title: string; value: (index: number) => string }
  /** What the chart does not show. */
  footnote?: string | undefined
  /** Instead of axes, if there is no value to draw. */
  empty: ReactNode
}

const height = 150
const inset = 8

/** Means with intervals over time, with marks at the moments of changes. Only buckets next to each other are connected. */
export function TimePlot({
  title,
  note,
  range,
  bucketMs,
  series,
  marks,
  format,
  extra,
  footnote,
  empty,
}: TimePlotProps) {
  const drawn = series.flatMap(({ points }) => points.flatMap(({ estimate }) => (hasMean(estimate) ? estimate : [])))
  if (drawn.length === 0) {
    return (
      <>
        <h3 className="text-body font-semibold">{title}</h3>
        <p className="mt-1 text-data text-soft">{empty}</p>
      </>
    )
  }
  const domain = niceDomain([0, ...drawn.map(({ high }) => high)], 4)
  const shown = [Math.max(0, domain[0]), domain[1]] as const
  const y = linearScale(shown, [height - inset, inset])
  const ticks = linearTicks(shown, 4)
  const x = percentScale([range.from, range.to])
  const middle = (start: number) => x.at(Math.min(start + bucketMs / 2, range.to))
  const moments = series[0]?.points ?? []
  return (
    <ChartWithTable
      title={title}
      note={note}
      summary={summarize(series, marks, format)}
      table={{
        columns: [
          { title: 'From' },
          ...series.map(({ name }) => ({ title: name })),
          ...(extra ? [{ title: extra.title }] : []),
          { title: 'Version' },
        ],
        rows: moments.map(({ start }, index) => [
          formatMoment(start),
          ...series.map(({ points }) => describePoint(points[index]?.estimate, format)),
          ...(extra ? [extra.value(index)] : []),
          marks
            .filter(({ time }) => time >= start && time < start + bucketMs)
            .map(({ text }) => text)
            .join('; '),
        ]),
      }}
    >
      <div className="relative mr-1 ml-12">
        <MarkLabels marks={marks} x={x} />
        <div aria-hidden className="relative">
          <svg aria-hidden height={height} className="block w-full overflow-visible">
            <ValueLines ticks={ticks} y={y} />
            {marks.map(({ time, text }) => (
              <line
                key={`${time} ${text}`}
                x1={x.x(time)}
                x2={x.x(time)}
                y1={0}
                y2={height - inset}
                strokeWidth={1.5}
                className="stroke-gold"
                data-line="version"
              />
            ))}
            {series.map(({ name, points }, index) => (
              <Line key={name} points={points} place={index} bucketMs={bucketMs} at={middle} y={y} />
            ))}
          </svg>
          <ValueLabels ticks={ticks} y={y} format={format} />
        </div>
        <AxisLabels
          labels={timeTicks(range, 5).map(({ time, text }) => ({ at: x.at(time), text, key: String(time) }))}
        />
      </div>
      <Legend series={series} format={format} />
      {footnote && <p className="mt-1 text-meta text-faint">{footnote}</p>}
    </ChartWithTable>
  )
}

interface LineProps {
  points: TimeSeries['points']
  place: number
  bucketMs: number
  at: (start: number) => number
  y: (value: number) => number
}

function Line({ points, place, bucketMs, at, y }: LineProps) {
  const stroke = strokes[place] ?? strokes[0]
  return (
    <g data-series={place}>
      {points.map(({ start, estimate }, index) => {
        if (!hasMean(estimate)) return null
        const before = points[index - 1]
        const isNext = before !== undefined && start - before.start <= bucketMs
        const left = `${at(start)}%`
        return (
          <g key={start}>
            {isNext && hasMean(before.estimate) && (
              <line
                x1={`${at(before.start)}%`}
                x2={left}
                y1={y(before.estimate.mean)}
                y2={y(estimate.mean)}
                strokeWidth={1.5}
                className={stroke}
                data-line="trend"
              />
            )}
            <line
              x1={left}
              x2={left}
              y1={y(estimate.low)}
              y2={y(estimate.high)}
              strokeWidth={5}
              className={`opacity-25 ${stroke}`}
            />
            <circle cx={left} cy={y(estimate.mean)} r={2.5} className={fills[place] ?? fills[0]} />
          </g>
        )
      })}
    </g>
  )
}

const strokes = ['stroke-series-1', 'stroke-series-2']
const fills = ['fill-series-1', 'fill-series-2']
const backgrounds = ['bg-series-1', 'bg-series-2']

/** Links, so that they can be reached by keyboard. Marks close to each other are in rows of their own. */
function MarkLabels({ marks, x }: { marks: TimeMark[]; x: PercentScale }) {
  if (marks.length === 0) return null
  const rows = rowsOf(marks.map(({ time }) => x.at(time)))
  return (
    <ul aria-label="Changes of the version" className="relative" style={{ height: (Math.max(...rows) + 1) * 22 }}>
      {marks.map(({ time, label, text, href }, index) => (
        <li
          key={`${time} ${text}`}
          className={`absolute max-w-28 ${x.at(time) > 75 ? '-translate-x-full' : ''}`}
          style={{ left: x.x(time), top: (rows[index] ?? 0) * 22 }}
        >
          <HrefLink
            href={href}
            className="relative block truncate rounded-sm border border-gold/60 bg-surface px-1 text-[11px] leading-4.5 font-medium text-gold-ink hover:bg-gold-wash"
          >
            <bdi title={text}>{label}</bdi>{' '}
            <span className="sr-only">
              {text}, {formatMoment(time)}
            </span>
          </HrefLink>
        </li>
      ))}
    </ul>
  )
}

const ROOM_PERCENT = 16
const ROWS_MAX = 4

function rowsOf(positions: number[]): number[] {
  const ends: number[] = []
  return positions.map((at) => {
    const free = ends.findIndex((end) => at - end >= ROOM_PERCENT)
    const row = free === -1 ? Math.min(ends.length, ROWS_MAX - 1) : free
    ends[row] = at
    return row
  })
}

/** The newest value of each series, as text: a chart alone has no numbers. */
function Legend({ series, format }: { series: TimeSeries[]; format: FormatValue }) {
  return (
    <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-meta text-soft">
      {series.map(({ name, points }, index) => {
        const newest = points.findLast(({ estimate }) => hasMean(estimate))
        return (
          <li key={name} className="flex items-center gap-1.5">
            <span aria-hidden className={`h-1 w-4 rounded-full ${backgrounds[index] ?? backgrounds[0]}`} />
            {name}
            {newest && hasMean(newest.estimate) && <NewestValue estimate={newest.estimate} format={format} />}
          </li>
        )
      })}
    </ul>
  )
}

function NewestValue({ estimate, format }: { estimate: MeanEstimate; format: FormatValue }) {
  return (
    <span data-estimate className="tabular-nums">
      newest <b data-mean>{format(estimate.mean)}</b> ({format(estimate.low)} to {format(estimate.high)}, n{' '}
      {formatCount(estimate.n)})
    </span>
  )
}

function describePoint(estimate: Estimate | undefined, format: FormatValue): string {
  return estimate ? describeEstimate(estimate, format) : ''
}

function summarize(series: TimeSeries[], marks: TimeMark[], format: FormatValue): string {
  const values = series.map(({ name, points }) => {
    const newest = points.findLast(({ estimate }) => hasMean(estimate))
    return newest
      ? `${name}, newest at ${formatMoment(newest.start)}: ${describeEstimate(newest.estimate, format)}`
      : `${name}: no values`
  })
  return [...values, ...marks.map(({ time, text }) => `${text}, ${formatMoment(time)}`)].join('. ')
}
