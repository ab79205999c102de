import { useState } from 'react'
import { formatCount } from '../format-number.ts'
import { AxisLabels } from './axis-labels.tsx'
import { ChartWithTable } from './chart-with-table.tsx'
import { percentScale } from './percent-scale.ts'
import { TimeBars } from './time-bars.tsx'
import { TimeBrush } from './time-brush.tsx'
import {
  describeBucket,
  formatMoment,
  formatRange,
  sumBuckets,
  type TimeBucket,
  type TimeRange,
  timeTicks,
} from './time-buckets.ts'

interface TimeStripProps {
  title: string
  range: TimeRange
  /** Part of the range, if it does not begin and end with a bucket: the buckets have only its traces. */
  counted?: TimeRange
  /** At most 200, from the server; in order. */
  buckets: TimeBucket[]
  bucketMs: number
  /** Moments such as releases. */
  marks?: { time: number; label: string }[]
  selection?: TimeRange | undefined
  /** Without it the strip shows, and selects nothing. Undefined removes the selection. */
  onSelect?: (range: TimeRange | undefined) => void
  /** Rare errors are drawn larger by this factor; the title says so. */
  errorsScale?: 1 | 10
}

/** For what is shown until the data has arrived, so that nothing below moves. The caption needs three rows on a phone. */
export const timeStripHeight = 'h-[136px] max-sm:h-[168px]'

/** Volume stands above the axis, errors hang below: direction before color. */
export function TimeStrip({ title, range, buckets, bucketMs, marks = [], errorsScale = 1, ...props }: TimeStripProps) {
  const { selection, onSelect, counted = range } = props
  const [hovered, setHovered] = useState<TimeBucket>()
  const scale = percentScale([range.from, range.to])
  const shown = hovered
    ? `${formatRange({ from: hovered.start, to: hovered.start + bucketMs })}: ${describeBucket(hovered)}`
    : `${formatRange(counted)}: ${describeBucket(sumBuckets(buckets))}`
  const busiest = buckets.reduce<TimeBucket | undefined>(
    (top, one) => (top && top.count >= one.count ? top : one),
    undefined,
  )
  return (
    <ChartWithTable
      title={title}
      note={
        <span className="tabular-nums">
          {shown}
          {errorsScale > 1 && ` · errors drawn ×${errorsScale}`}
        </span>
      }
      summary={[
        `${formatMoment(counted.from)} to ${formatMoment(counted.to)}: ${describeBucket(sumBuckets(buckets))}`,
        ...(busiest ? [`busiest at ${formatMoment(busiest.start)}: ${describeBucket(busiest)}`] : []),
        ...marks.map((mark) => `${mark.label}, ${formatMoment(mark.time)}`),
      ].join('. ')}
      table={{
        columns: [{ title: 'From' }, { title: 'Traces', align: 'right' }, { title: 'Errors', align: 'right' }],
        rows: buckets.map(({ start, count, errors }) => [formatMoment(start), count, errors]),
      }}
    >
      <div className="relative">
        {busiest && busiest.count > 0 && (
          <span
            aria-hidden
            className="pointer-events-none absolute top-0 right-0 left-0 h-3.5 border-b border-dashed border-line text-right text-[11px] leading-3.5 text-faint tabular-nums"
          >
            {formatCount(busiest.count)}
          </span>
        )}
        <TimeBars buckets={buckets} bucketMs={bucketMs} scale={scale} errorsScale={errorsScale} />
        {marks.map((mark) => (
          <span
            key={mark.label}
            aria-hidden
            className="pointer-events-none absolute top-0 h-[62px] border-l-[1.5px] border-gold pl-1.5 text-[11px] leading-3.5 font-medium whitespace-nowrap text-gold-ink"
            style={{ left: scale.x(mark.time) }}
          >
            <span className="rounded-sm bg-canvas/85 px-0.5">{mark.label}</span>
          </span>
        ))}
        <TimeBrush
          range={range}
          bucketMs={bucketMs}
          selection={selection}
          onSelect={onSelect}
          onHover={(time) => setHovered(time === undefined ? undefined : bucketAt(buckets, bucketMs, time))}
        />
      </div>
      <AxisLabels
        labels={timeTicks(range, 6).map(({ time, text }) => ({ at: scale.at(time), text, key: String(time) }))}
      />
    </ChartWithTable>
  )
}

function bucketAt(buckets: TimeBucket[], bucketMs: number, time: number): TimeBucket | undefined {
  return buckets.find(({ start }) => time >= start && time < start + bucketMs)
}
