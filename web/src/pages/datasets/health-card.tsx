import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import type { DatasetHealth } from '../../api/generated/api.ts'
import { datasetHealthQuery, type ItemRowsFilter } from '../../api/item-rows-query.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tip } from '../../ui/tip.tsx'
import { QueryError } from '../shell/query-error.tsx'

type Check = DatasetHealth['checks'][number]['check']

interface HealthCardProps {
  datasetKey: DatasetKey
  filter: ItemRowsFilter['filter']
  onFilter: (filter: ItemRowsFilter['filter']) => void
}

/** What may be wrong with the items. Each count shows its items in the list below. */
export function HealthCard({ datasetKey, filter, onFilter }: HealthCardProps) {
  const health = useQuery(datasetHealthQuery(datasetKey))
  return (
    <section aria-label="Health" className="rounded-card border border-line bg-surface px-4 py-3 shadow-lift">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="mr-2 text-data font-semibold">Health</h2>
        {health.isPending && (
          <div className="w-40">
            <Skeleton rows={1} />
          </div>
        )}
        {health.error && !health.data && <QueryError query={health} />}
        {health.data && <Checks health={health.data} filter={filter} onFilter={onFilter} />}
      </div>
      {health.data && !health.data.nearDuplicates.isComplete && (
        <p className="mt-1 text-meta text-soft">
          Near-duplicates: the oldest {formatCount(health.data.nearDuplicates.compared)} questions are compared.
        </p>
      )}
    </section>
  )
}

function Checks({ health, filter, onFilter }: { health: DatasetHealth } & Omit<HealthCardProps, 'datasetKey'>) {
  const found = health.checks.filter(({ count }) => count > 0)
  if (found.length === 0) {
    return (
      <p className="flex items-center gap-1.5 text-data text-good">
        <CircleCheck aria-hidden className="size-4" />
        No duplicates, conflicts, unused items or items without an expected output.
      </p>
    )
  }
  return (
    // One line on narrow screens: the items below are what people came for.
    <div className="flex min-w-0 flex-wrap gap-2 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:*:shrink-0">
      {found.map(({ check, count, method }) => (
        <Tip key={check} text={method}>
          <button
            type="button"
            aria-pressed={filter === check}
            onClick={() => onFilter(filter === check ? undefined : check)}
            className={classNames(
              'inline-flex min-h-7 items-center gap-1.5 rounded-full border px-2.5 text-data touch:min-h-11',
              filter === check
                ? 'border-action bg-action text-on-action'
                : 'border-edge/60 bg-raised hover:border-edge',
            )}
          >
            {checkWords[check]} <b className="font-semibold tabular-nums">{formatCount(count)}</b>
          </button>
        </Tip>
      ))}
    </div>
  )
}

const checkWords: Record<Check, string> = {
  duplicates: 'same question',
  near_duplicates: 'nearly the same question',
  conflicts: 'conflicting expectations',
  without_expected: 'nothing expected',
  never_run: 'never run',
  test_read: 'test items read',
}
