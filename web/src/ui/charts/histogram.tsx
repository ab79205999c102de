import { countOf, formatCount } from '../format-number.ts'
import { AxisLabels } from './axis-labels.tsx'
import { ChartWithTable } from './chart-with-table.tsx'

export interface HistogramBin {
  /** The value, or the range of values: "4", "0.6 to 0.7". */
  label: string
  count: number
  /** Whether values of this bin pass the threshold; without a threshold all bins look the same. */
  outcome?: 'pass' | 'fail'
}

/** A tiny distribution, for the header of a column. `label` says what is counted. */
export function TinyHistogram({ label, bins }: { label: string; bins: HistogramBin[] }) {
  return (
    <span className="inline-block w-[52px] align-bottom">
      <span className="sr-only">{describeBins(label, bins)}</span>
      <Bars bins={bins} height={16} />
    </span>
  )
}

/** Few bins in a wide column would look like a wall. */
const barWidthMax = 64

interface HistogramProps {
  title: string
  note?: string
  bins: HistogramBin[]
}

export function Histogram({ title, note, bins }: HistogramProps) {
  const step = 100 / bins.length
  // Labels need about 40 px each: of many bins only some are labeled.
  const every = Math.ceil(bins.length / 10)
  return (
    <ChartWithTable
      title={title}
      note={note}
      summary={describeBins(title, bins)}
      table={{
        columns: [{ title: 'Value' }, { title: 'Count', align: 'right' }],
        rows: bins.map(({ label, count, outcome }) => [outcome ? `${label} (${outcome})` : label, formatCount(count)]),
      }}
    >
      <div style={{ maxWidth: bins.length * barWidthMax }}>
        <div aria-hidden className="relative pt-4">
          <Bars bins={bins} height={96} />
          {bins.length <= 12 &&
            bins.map(({ label, count }, index) => (
              <span
                key={label}
                className="absolute -translate-x-1/2 text-[11px] leading-4 text-soft tabular-nums"
                style={{ left: `${(index + 0.5) * step}%`, bottom: barHeight(count, bins, 96) }}
              >
                {formatCount(count)}
              </span>
            ))}
        </div>
        <AxisLabels
          labels={bins.flatMap(({ label }, index) =>
            index % every === 0 ? [{ at: (index + 0.5) * step, text: label, key: label }] : [],
          )}
        />
      </div>
    </ChartWithTable>
  )
}

function Bars({ bins, height }: { bins: HistogramBin[]; height: number }) {
  const step = 100 / bins.length
  return (
    <svg aria-hidden height={height} className="block w-full">
      {bins.map(({ label, count, outcome }, index) => {
        const tall = barHeight(count, bins, height)
        return (
          <rect
            key={label}
            x={`${(index + 0.06) * step}%`}
            width={`${step * 0.88}%`}
            y={height - tall}
            height={tall}
            rx={height > 40 ? 2 : 0}
            className={outcome === 'pass' ? 'fill-series-3' : 'fill-mark'}
          />
        )
      })}
    </svg>
  )
}

function barHeight(count: number, bins: HistogramBin[], height: number): number {
  const most = Math.max(1, ...bins.map((bin) => bin.count))
  return count === 0 ? 0 : Math.max(1.5, (count / most) * height)
}

function describeBins(label: string, bins: HistogramBin[]): string {
  const total = bins.reduce((sum, bin) => sum + bin.count, 0)
  const top = bins.reduce<HistogramBin | undefined>(
    (most, bin) => (most && most.count >= bin.count ? most : bin),
    undefined,
  )
  if (!top) return `${label}: no values`
  return `${label}: ${countOf(total, 'value')} from ${bins[0]?.label} to ${bins.at(-1)?.label}, most at ${top.label} (${formatCount(top.count)})`
}
