import { classNames } from '../class-names.ts'
import { formatCount, formatScore } from '../format-number.ts'
import { AxisLabels } from './axis-labels.tsx'
import { ChartWithTable } from './chart-with-table.tsx'
import {
  type Change,
  describeEstimate,
  type Estimate,
  type FormatValue,
  formatInterval,
  hasMean,
  type MeanEstimate,
  NO_CHANGE,
} from './estimate.ts'
import { changeDomain, niceDomain, percentScale } from './percent-scale.ts'
import { intervalClass, type Series, SeriesMark } from './series-mark.tsx'

interface IntervalPlotRow {
  label: string
  series: Series
  estimate: Estimate
}

interface IntervalPlotProps {
  title: string
  note?: string
  rows: IntervalPlotRow[]
  format?: FormatValue
  /** Draws a line at "no change", which the domain then includes. */
  change?: Change
  /** The worst change that a gate allows: a dashed line, and the area beyond it shaded. */
  margin?: number
  /** The side of the margin that is shaded. */
  worse?: 'left' | 'right'
}

const plainRowHeight = 76
/** With a third line of text below each mark. */
const notedRowHeight = 96

/** Means with their intervals on one axis: two runs, or the difference between them. */
export function IntervalPlot({
  title,
  note,
  rows,
  format = formatScore,
  change,
  margin,
  worse = 'left',
}: IntervalPlotProps) {
  const known = rows.flatMap(({ estimate }) => (hasMean(estimate) ? [estimate.low, estimate.high] : []))
  const shown = [...known, ...(margin === undefined ? [] : [margin])]
  const scale = percentScale(change ? changeDomain(shown, change) : niceDomain(shown), change)
  const none = change && NO_CHANGE[change]
  const ticks = scale.ticks(5)
  const hasNotes = rows.some(({ estimate }) => hasMean(estimate) && estimate.note !== undefined)
  const rowHeight = hasNotes ? notedRowHeight : plainRowHeight
  const height = rows.length * rowHeight
  const lines = [
    ...(none === undefined ? [] : [`no change at ${none}`]),
    ...(margin === undefined ? [] : [`margin ${format(margin)}`]),
  ]
  return (
    <ChartWithTable
      title={title}
      note={note}
      summary={[...rows.map((row) => `${row.label}: ${describeEstimate(row.estimate, format)}`), ...lines].join('. ')}
      table={{
        columns: [{ title: 'Series' }, { title: 'Mean, 95\u202f% interval and n' }],
        rows: rows.map((row) => [row.label, describeEstimate(row.estimate, format)]),
      }}
    >
      <div aria-hidden className="relative">
        <svg aria-hidden height={height} className="block w-full overflow-visible">
          {margin !== undefined && (
            <rect
              x={worse === 'left' ? '0' : scale.x(margin)}
              y="0"
              width={worse === 'left' ? scale.x(margin) : `${100 - scale.at(margin)}%`}
              height={height}
              className="fill-danger-wash opacity-75"
            />
          )}
          {ticks.map((tick) => (
            <line key={tick} x1={scale.x(tick)} x2={scale.x(tick)} y1="0" y2={height} className="stroke-line" />
          ))}
          {none !== undefined && (
            <line
              x1={scale.x(none)}
              x2={scale.x(none)}
              y1={-4}
              y2={height}
              className="stroke-ink"
              strokeWidth={1.25}
              data-line="no change"
            />
          )}
          {margin !== undefined && (
            <line
              x1={scale.x(margin)}
              x2={scale.x(margin)}
              y1={-4}
              y2={height}
              strokeWidth={1.5}
              strokeDasharray="4 3"
              className="stroke-gold"
              data-line="margin"
            />
          )}
          {rows.map(({ label, series, estimate }, index) => {
            if (!hasMean(estimate)) return null
            const y = (index + 0.5) * rowHeight
            return (
              <g key={label}>
                <line
                  x1={scale.x(estimate.low)}
                  x2={scale.x(estimate.high)}
                  y1={y}
                  y2={y}
                  strokeWidth={series === 'corrected' ? 2 : 4}
                  strokeLinecap={series === 'corrected' ? 'butt' : 'round'}
                  strokeDasharray={series === 'corrected' ? '3 3' : undefined}
                  className={intervalClass[series]}
                />
                <SeriesMark series={series} x={scale.x(estimate.mean)} y={y} radius={7} />
              </g>
            )
          })}
        </svg>
        {rows.map(({ label, estimate }, index) => (
          <RowText
            key={label}
            label={label}
            estimate={estimate}
            at={hasMean(estimate) ? scale.at(estimate.mean) : 50}
            y={(index + 0.5) * rowHeight}
            format={format}
          />
        ))}
      </div>
      <AxisLabels
        labels={ticks.map((tick) => ({
          at: scale.at(tick),
          text: change === 'ratio' ? `${Number(tick.toPrecision(3))} ×` : tick === 0 && none === 0 ? '0' : format(tick),
          key: String(tick),
          isStrong: tick === none,
        }))}
      />
    </ChartWithTable>
  )
}

interface RowTextProps {
  label: string
  estimate: MeanEstimate | { summary: string }
  at: number
  y: number
  format: FormatValue
}

/** The numbers above and below a mark, kept inside of the plot at its ends. */
function RowText({ label, estimate, at, y, format }: RowTextProps) {
  const anchor = at < 20 ? '' : at > 80 ? '-translate-x-full text-right' : '-translate-x-1/2 text-center'
  const left = at < 20 ? 0 : at > 80 ? 100 : at
  const isKnown = hasMean(estimate)
  return (
    <div
      data-estimate={isKnown ? '' : 'too-few'}
      className={classNames(
        'absolute w-max whitespace-nowrap',
        anchor,
        !isKnown && 'rounded-control bg-surface/85 px-2',
      )}
      style={{ left: `${left}%`, top: y - (isKnown ? 32 : 20) }}
    >
      <div className="text-data font-semibold">
        {label}{' '}
        {isKnown && (
          <span data-mean className="ml-1">
            {format(estimate.mean)}
          </span>
        )}
      </div>
      <div className={`text-meta text-soft tabular-nums ${isKnown ? 'mt-[22px]' : ''}`}>
        {isKnown ? `${formatInterval(estimate, format)} · n ${formatCount(estimate.n)}` : estimate.summary}
        {isKnown && estimate.note && <span className="block">{`95\u202f%, ${estimate.note}`}</span>}
      </div>
    </div>
  )
}
