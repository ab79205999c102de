import type { OverviewInsight } from '../../api/generated/api.ts'
import { countOf } from '../../ui/format-number.ts'

/** What rules found in the traces, without a model. */
export function InsightList({ insights }: { insights: OverviewInsight[] }) {
  return (
    <ul className="text-data">
      {insights.map(({ type, title, description, affectedTraces }) => (
        <li key={`${type} ${title}`} className="border-t border-line py-2.5 first:border-t-0 first:pt-0 last:pb-0">
          <p className="flex flex-wrap items-baseline justify-between gap-x-4">
            <b className="font-semibold break-words">{title}</b>
            {affectedTraces !== null && (
              <span className="text-meta text-faint tabular-nums">{countOf(affectedTraces, 'trace')}</span>
            )}
          </p>
          <p className="text-soft break-words">{description}</p>
        </li>
      ))}
    </ul>
  )
}
