import type { ComponentOverview } from '../../api/generated/api.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'

interface DatasetListProps {
  datasets: ComponentOverview['datasets']
  /** The list has the newest ones only. */
  total: number
}

export function DatasetList({ datasets, total }: DatasetListProps) {
  if (datasets.length === 0) return <p className="text-data text-soft">No dataset yet.</p>
  return (
    <ul className="flex flex-wrap gap-2 text-data">
      {datasets.map(({ id, name, itemCount }) => (
        <li key={id} className="max-w-full rounded-control border border-line px-2.5 py-1 break-words">
          {name} <span className="text-meta text-faint tabular-nums">{countOf(itemCount, 'item')}</span>
        </li>
      ))}
      {total > datasets.length && (
        <li className="px-1 py-1 text-faint">and {formatCount(total - datasets.length)} more</li>
      )}
    </ul>
  )
}
