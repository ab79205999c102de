import type { RatingLook } from '../../api/rating-scheme-query.ts'
import { ChartWithTable } from '../../ui/charts/chart-with-table.tsx'
import { formatCount, formatPercent } from '../../ui/format-number.ts'
import { RatingMark, ratingFill } from '../../ui/rating-mark.tsx'

interface RatingSharesProps {
  title: string
  counts: { rating: string; count: number }[]
  lookOf: (rating: string) => RatingLook
}

/** How often each rating was given: a bar for each. */
export function RatingShares({ title, counts, lookOf }: RatingSharesProps) {
  const n = counts.reduce((sum, { count }) => sum + count, 0)
  const most = Math.max(1, ...counts.map(({ count }) => count))
  const shareOf = (count: number) => formatPercent(n === 0 ? 0 : Math.round((count / n) * 100) / 100)
  const shares = counts.map(({ rating, count }) => `${lookOf(rating).label} ${formatCount(count)}`)
  return (
    <ChartWithTable
      title={title}
      note={`n ${formatCount(n)}`}
      summary={`${title}: ${shares.join(', ')}`}
      table={{
        columns: [{ title: 'Rating' }, { title: 'Count', align: 'right' }, { title: 'Share', align: 'right' }],
        rows: counts.map(({ rating, count }) => [lookOf(rating).label, formatCount(count), shareOf(count)]),
      }}
    >
      <ul
        aria-hidden
        className="grid max-w-xl grid-cols-[minmax(0,max-content)_minmax(0,1fr)_max-content] gap-x-3 gap-y-1.5 text-data"
      >
        {counts.map(({ rating, count }) => (
          <li key={rating} className="col-span-3 grid grid-cols-subgrid items-center">
            <span className="flex min-w-0 items-center gap-2">
              <RatingMark color={lookOf(rating).color} />
              <bdi className="truncate">{lookOf(rating).label}</bdi>
            </span>
            <span
              className={`h-3 rounded-sm ${ratingFill(lookOf(rating).color)}`}
              style={{ width: `${(count / most) * 100}%` }}
            />
            <span className="text-right tabular-nums">
              {formatCount(count)} <span className="text-faint">{shareOf(count)}</span>
            </span>
          </li>
        ))}
      </ul>
    </ChartWithTable>
  )
}
