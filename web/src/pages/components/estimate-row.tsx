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

/** A number of a card: name, mean, glyph, interval and n. */
export function EstimateRow({ name, estimate, baseline, domain, format }: EstimateRowProps) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_3.6rem_7rem] items-center gap-x-2.5 @min-[20rem]:grid-cols-[minmax(0,1fr)_3.6rem_64px_7rem] border-t border-line py-2 text-data">
      <span className="min-w-0 break-words">{name}</span>
      {hasMean(estimate) ? (
        <span
          data-estimate
          className="col-span-2 grid grid-cols-subgrid items-center tabular-nums @min-[20rem]:col-span-3"
        >
          <b data-mean className="font-semibold whitespace-nowrap">
            {format(estimate.mean)}
          </b>
          <IntervalGlyph
            className="@max-[20rem]:hidden"
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
        <span data-estimate="too-few" className="col-span-2 text-soft @min-[20rem]:col-span-3">
          {estimate.summary}
        </span>
      )}
    </li>
  )
}
