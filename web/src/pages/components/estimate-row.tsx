import type { ReactNode } from 'react'
import { describeEstimate, type Estimate, type FormatValue, formatInterval, hasMean } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import { formatCount } from '../../ui/format-number.ts'

interface EstimateRowProps {
  name: string
  estimate: Estimate
  /** What it is compared with: drawn as the baseline. */
  baseline?: Estimate | undefined
  domain: readonly [number, number]
  format: FormatValue
}

/** Around the rows of a card, so that their columns are aligned and only as wide as their content. */
export function EstimateRows({ children }: { children: ReactNode }) {
  return (
    <ul className="grid grid-cols-[minmax(4rem,1fr)_max-content_minmax(0,max-content)] gap-x-2 border-b border-line @min-[17rem]:grid-cols-[minmax(4rem,1fr)_max-content_44px_minmax(0,max-content)] @min-[20rem]:gap-x-3 @min-[20rem]:grid-cols-[minmax(4rem,1fr)_max-content_64px_minmax(0,max-content)]">
      {children}
    </ul>
  )
}

/** A number of a card: name, mean, glyph, interval and n. */
export function EstimateRow({ name, estimate, baseline, domain, format }: EstimateRowProps) {
  return (
    <li className="col-span-full grid grid-cols-subgrid items-center border-t border-line py-2 text-data">
      <span className="min-w-0 break-words">{name}</span>
      {hasMean(estimate) ? (
        <span
          data-estimate
          className="col-span-2 grid grid-cols-subgrid items-center tabular-nums @min-[17rem]:col-span-3"
        >
          <b data-mean className="font-semibold whitespace-nowrap">
            {format(estimate.mean)}
          </b>
          <IntervalGlyph
            className="@max-[17rem]:hidden"
            domain={domain}
            marks={
              baseline && hasMean(baseline)
                ? [
                    { series: 'baseline', estimate: baseline },
                    { series: 'candidate', estimate },
                  ]
                : [{ series: 'plain', estimate }]
            }
          />
          <span className="text-right text-meta text-soft">
            <span className="sr-only">95 % interval </span>
            {formatInterval(estimate, format)} <span className="block">n {formatCount(estimate.n)}</span>
            {baseline && hasMean(baseline) && (
              <span className="sr-only">, before: {describeEstimate(baseline, format)}</span>
            )}
          </span>
        </span>
      ) : (
        // No width of its own: it must not widen the columns that it spans.
        <span data-estimate="too-few" className="col-span-2 w-0 min-w-full text-soft @min-[17rem]:col-span-3">
          {estimate.summary}
        </span>
      )}
    </li>
  )
}
