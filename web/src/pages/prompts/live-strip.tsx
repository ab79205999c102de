import type { PromptLivePeriod, PromptVersionSummary } from '../../api/generated/api.ts'
import { ChartWithTable } from '../../ui/charts/chart-with-table.tsx'
import { formatInterval, hasMean } from '../../ui/charts/estimate.ts'
import { formatCount, formatMetric, formatPercent } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { formatTime } from '../runs/run-title.ts'
import { type LiveRow, type LiveSegment, liveRows } from './live-segments.ts'
import { splitsText } from './version-mark.tsx'

interface LiveStripProps {
  periods: PromptLivePeriod[]
  /** The numbers of the versions in the same time. */
  versions: PromptVersionSummary[]
  /** Undefined while the numbers load. */
  metric: string | undefined
  nameOf: (userId: string) => string
}

const DAY_MS = 86_400_000
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** What was live when: a row for each label, one block for each version, and below it the shares that others had. */
export function LiveStrip({ periods, versions, metric, nameOf }: LiveStripProps) {
  const nowMs = Math.max(Date.now(), ...periods.map(({ since }) => Date.parse(since)))
  const oldestMs = Math.min(...periods.map(({ since }) => Date.parse(since)))
  const fromMs = Math.max(oldestMs, nowMs - 30 * DAY_MS)
  const rows = liveRows(periods, fromMs, nowMs)
  const x = (ms: number) => `${((ms - fromMs) / Math.max(1, nowMs - fromMs)) * 100}%`
  const ticks = [0, 0.25, 0.5, 0.75].map((share) => fromMs + share * (nowMs - fromMs))
  return (
    <ChartWithTable
      title="What was live when"
      note={`since ${day.format(fromMs)}; rate: ${metric === undefined ? '…' : metricTitle(metric)} of the traces of a version, 95\u202f% interval`}
      summary={rows.map(rowText).join(' ')}
      table={{
        columns: [
          { title: 'Label' },
          { title: 'Served' },
          { title: 'From' },
          { title: 'Until' },
          { title: 'Moved by' },
        ],
        rows: periods.map(({ label, splits, since, until, changedBy }) => [
          label,
          splitsText(splits),
          formatTime(since),
          until === null ? 'now' : formatTime(until),
          nameOf(changedBy),
        ]),
      }}
    >
      <div aria-hidden className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-data">
        {rows.map((row) => (
          <Row key={row.label} row={row} x={x} versions={versions} />
        ))}
        <span />
        <div className="relative h-4 text-meta text-faint tabular-nums">
          {ticks.map((ms, index) => (
            <span
              key={ms}
              className={`absolute whitespace-nowrap ${index % 2 === 1 ? 'max-sm:hidden' : ''}`}
              style={{ left: x(ms) }}
            >
              {day.format(ms)}
            </span>
          ))}
          <span className="absolute right-0">now</span>
        </div>
      </div>
    </ChartWithTable>
  )
}

interface RowProps {
  row: LiveRow
  x: (ms: number) => string
  versions: PromptVersionSummary[]
}

function Row({ row: { label, segments, shares }, x, versions }: RowProps) {
  const isMain = label === 'production'
  const span = (segment: LiveSegment) => ({
    left: x(segment.fromMs),
    width: `calc(${x(segment.toMs)} - ${x(segment.fromMs)})`,
  })
  return (
    <>
      <bdi className="max-w-28 self-center truncate text-meta text-soft max-sm:col-span-2">{label}</bdi>
      <div className={`relative max-sm:col-span-2 ${isMain ? 'h-9' : 'h-5'} ${shares.length > 0 ? 'mb-5' : ''}`}>
        {segments.map((segment) => (
          <span
            key={segment.fromMs}
            style={span(segment)}
            className={`@container absolute inset-y-0 flex min-w-1 items-center overflow-hidden rounded-[4px] border border-l-2 border-edge/60 px-1.5 ${isMain && segment.isNow ? 'border-gold bg-gold-wash' : isMain ? 'bg-raised' : 'bg-sunken text-meta text-soft'}`}
          >
            <span className={`shrink-0 tabular-nums ${isMain ? 'font-semibold' : ''}`}>v{segment.version}</span>
            {isMain && <Rate version={versions.find(({ number }) => number === segment.version)} />}
          </span>
        ))}
        {shares.map((share) => (
          <span key={`${share.version} ${share.fromMs}`}>
            <span
              style={span(share)}
              className="absolute -bottom-1 h-2 min-w-2 rounded-[2px] border border-surface bg-series-2"
            />
            <span
              style={{ left: x(share.fromMs) }}
              className="absolute -bottom-6 text-meta whitespace-nowrap text-series-2 tabular-nums max-sm:hidden"
            >
              v{share.version} {formatPercent(share.weight / 100)}
            </span>
          </span>
        ))}
      </div>
    </>
  )
}

/** The rate of a version, if its block is wide enough for it. */
function Rate({ version }: { version: PromptVersionSummary | undefined }) {
  if (!version || version.rate.summary !== null) return null
  const estimate = toEstimate(version.rate, '')
  if (!hasMean(estimate)) return null
  return (
    <span data-estimate className="ml-auto hidden items-baseline gap-2 whitespace-nowrap tabular-nums @[200px]:flex">
      <b data-mean className="font-semibold">
        {formatMetric(estimate.mean)}
      </b>
      <span className="text-meta text-faint">
        {formatInterval(estimate, formatMetric)} · n {formatCount(estimate.n)}
      </span>
    </span>
  )
}

function rowText({ label, segments, shares }: LiveRow): string {
  const served = segments.map(
    ({ version, fromMs, isNow }) => `v${version} since ${day.format(fromMs)}${isNow ? ' until now' : ''}`,
  )
  const parts = shares.map(({ version, weight }) => `v${version} had ${formatPercent(weight / 100)}`)
  return `${label}: ${[...served, ...parts].join(', ')}.`
}
