import type { TrialEstimate } from '../../api/generated/api.ts'
import { ChartWithTable } from '../../ui/charts/chart-with-table.tsx'
import { linearScale } from '../../ui/charts/ticks.ts'
import { formatCount, formatScore } from '../../ui/format-number.ts'

interface DetectablePlotProps {
  points: TrialEstimate['byItems']
  /** Of the plan. */
  items: number
}

const HEIGHT = 90

/** Which difference would be seen with how many items: whether a larger dataset is worth it. */
export function DetectablePlot({ points, items }: DetectablePlotProps) {
  const known = points.flatMap(({ items: count, detectableDifference }) =>
    detectableDifference === null ? [] : [{ items: count, difference: detectableDifference }],
  )
  const [first, last] = [known[0], known.at(-1)]
  const chosen = known.find((point) => point.items === items)
  if (!first || !last || first === last) return null
  // Items on a scale of ratios: four times as many halve the difference, wherever one begins.
  const x = linearScale([Math.log(first.items), Math.log(last.items)], [0, 100])
  const y = linearScale([0, first.difference], [100, 0])
  const line = known.map((point) => `${x(Math.log(point.items))},${y(point.difference)}`).join(' ')
  const share = chosen && x(Math.log(chosen.items))
  return (
    <div className="mt-4">
      <ChartWithTable
        title="By number of items"
        summary={`With ${formatCount(first.items)} items differences of ${formatScore(first.difference)} or more are seen, with ${formatCount(last.items)} those of ${formatScore(last.difference)}.${chosen ? ` This trial has ${formatCount(items)}: ${formatScore(chosen.difference)}.` : ''}`}
        table={{
          columns: [
            { title: 'Items', align: 'right' },
            { title: 'Can show', align: 'right' },
          ],
          rows: points.map((point) => [
            point.items === items ? `${formatCount(point.items)} (this trial)` : formatCount(point.items),
            point.detectableDifference === null ? '–' : formatScore(point.detectableDifference),
          ]),
        }}
      >
        <div aria-hidden className="relative" style={{ height: HEIGHT }}>
          {/* Only the line is stretched. */}
          <svg
            viewBox="0 0 100 100"
            preserveAspectRatio="none"
            width="100%"
            height={HEIGHT}
            className="block overflow-visible"
          >
            <title>Difference by number of items</title>
            <line x1="0" y1="100" x2="100" y2="100" className="stroke-edge" vectorEffect="non-scaling-stroke" />
            <polyline
              points={line}
              fill="none"
              strokeWidth="2"
              className="stroke-soft"
              vectorEffect="non-scaling-stroke"
            />
          </svg>
          {chosen && share !== undefined && (
            <>
              <span
                className="absolute size-2.5 -translate-1/2 rounded-full bg-gold ring-2 ring-surface"
                style={{ left: `${share}%`, top: `${y(chosen.difference)}%` }}
              />
              <span
                className={`absolute -translate-y-full pb-1.5 text-meta font-semibold text-ink tabular-nums ${share > 60 ? '-translate-x-full' : ''}`}
                style={{ left: `${share}%`, top: `${y(chosen.difference)}%` }}
              >
                {formatScore(chosen.difference)}
              </span>
            </>
          )}
        </div>
        <p aria-hidden className="mt-1 flex justify-between text-meta text-faint tabular-nums">
          <span>{formatCount(first.items)} items</span>
          <span>{formatCount(last.items)}</span>
        </p>
      </ChartWithTable>
    </div>
  )
}
