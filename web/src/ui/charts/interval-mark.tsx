import { formatCount, formatScore } from '../format-number.ts'
import { type Change, type Estimate, type FormatValue, formatInterval, hasMean, NO_CHANGE } from './estimate.ts'
import { IntervalGlyph } from './interval-glyph.tsx'
import type { Series } from './series-mark.tsx'

interface IntervalMarkProps {
  estimate: Estimate
  domain: readonly [number, number]
  series?: Series
  format?: FormatValue
  /** "row" prints everything in one line; "stack" puts interval and n under the number, for table cells. */
  layout?: 'row' | 'stack'
  change?: Change
  margin?: number
}

/**
 * A mean with its uncertainty, the same everywhere: number, glyph, interval and n. Below the minimum the server's
 * summary replaces all of it.
 */
export function IntervalMark({
  estimate,
  domain,
  series = 'plain',
  format = formatScore,
  ...props
}: IntervalMarkProps) {
  if (!hasMean(estimate)) {
    return (
      <span data-estimate="too-few" className="text-data text-faint">
        {estimate.summary}
      </span>
    )
  }
  const { layout = 'row', ...lines } = props
  const none = props.change && NO_CHANGE[props.change]
  const isUnclear = none !== undefined && estimate.low <= none && estimate.high >= none
  const glyph = <IntervalGlyph marks={[{ series, estimate, isUnclear }]} domain={domain} {...lines} />
  const mean = (
    <b data-mean className="font-semibold">
      {format(estimate.mean)}
    </b>
  )
  const interval = (
    <span className="text-meta whitespace-nowrap text-faint">
      <span className="sr-only">95 % interval </span>
      {formatInterval(estimate, format)} · n {formatCount(estimate.n)}
      {estimate.note && `, ${estimate.note}`}
    </span>
  )
  if (layout === 'stack') {
    return (
      <span data-estimate className="inline-grid grid-cols-[auto_64px] items-center gap-x-3 text-data tabular-nums">
        {mean}
        {glyph}
        <span className="col-span-2">{interval}</span>
      </span>
    )
  }
  return (
    <span
      data-estimate
      className="inline-grid grid-cols-[minmax(2.25rem,auto)_72px_auto] items-center gap-x-2.5 text-data tabular-nums"
    >
      {mean}
      {glyph}
      {interval}
    </span>
  )
}
