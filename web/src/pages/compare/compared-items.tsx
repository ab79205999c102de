import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { type ComparedPair, comparisonItemQuery, comparisonRowsQuery } from '../../api/comparison-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { metricTitle } from '../../ui/metric-words.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { BothTraces } from './both-traces.tsx'
import type { CompareSearch } from './compare-search.ts'
import { FilterChips } from './filter-chips.tsx'
import { ItemDetail } from './item-detail.tsx'
import { ItemList } from './item-list.tsx'
import { itemOfKey, rowKey } from './row-model.ts'
import type { ChangeSearch } from './use-compare-search.ts'

interface ComparedItemsProps {
  pair: ComparedPair
  names: { baseline: string; candidate: string }
  metric: { name: string; higherIsBetter: boolean } | undefined
  search: CompareSearch
  change: ChangeSearch
}

/** The items behind the numbers, by what became of them, with both answers of the one in view. */
export function ComparedItems({ pair, names, metric, search, change }: ComparedItemsProps) {
  const { filter } = search
  const query = useInfiniteQuery(comparisonRowsQuery(pair, { metric: metric?.name, filter }))
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const list = useRef<HTMLDivElement>(null)
  const [isDiffShown, setIsDiffShown] = useState(true)
  const [areTracesOpen, setAreTracesOpen] = useState(false)
  const rows = data?.rows ?? []
  // Known at once: keys may be pressed faster than the address changes.
  const [item, setItem] = useState(search.item)
  useEffect(() => setItem(search.item), [search.item])
  const index = Math.max(
    0,
    rows.findIndex((row) => rowKey(row) === item),
  )
  const listed = rows[index]
  const isListed = item === undefined || (listed !== undefined && rowKey(listed) === item)
  // An address may name an item that is further down, or of another filter.
  const wanted = isListed ? undefined : itemOfKey(item ?? '')
  const named = useQuery({
    ...comparisonItemQuery(pair, wanted ?? ''),
    enabled: wanted !== undefined && data !== undefined,
  })
  const row = (!isListed && named.data?.data.find((one) => rowKey(one) === item)) || listed
  const select = (key: string) => {
    setItem(key)
    change({ item: key }, 'replace')
  }
  const goTo = (step: 1 | -1) => {
    const next = rows[index + step]
    if (!next) return undefined
    return () => {
      select(rowKey(next))
      // Enter then opens the traces of this item.
      list.current?.focus({ preventScroll: true })
    }
  }
  useShortcut('nextItem', goTo(1))
  useShortcut('previousItem', goTo(-1))
  useShortcut('toggleDiff', row ? () => setIsDiffShown(!isDiffShown) : undefined)
  const total = data?.counts ? (filter ? data.counts[filter] : data.total) : rows.length
  return (
    <section aria-labelledby="items" className="mt-8">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-2">
        <h2 id="items" className="font-display text-section font-semibold">
          Items
        </h2>
        {metric && <span className="text-data text-soft">by {metricTitle(metric.name)}</span>}
        {rows.length > 0 && (
          <span className="ml-auto flex flex-wrap items-center gap-x-4 text-meta text-soft max-sm:hidden">
            <span className="flex items-center gap-1.5">
              <ShortcutKeys id="nextItem" />
              <ShortcutKeys id="previousItem" /> next, previous
            </span>
            <span className="flex items-center gap-1.5">
              <Kbd caps={['↵']} /> both traces
            </span>
          </span>
        )}
      </div>
      {data?.counts && (
        <FilterChips
          counts={data.counts}
          total={data.total}
          filter={filter}
          names={names}
          onChange={(next) => change({ filter: next, item: undefined })}
        />
      )}
      {error && <QueryError query={query} />}
      {!data && !error && <Skeleton rows={6} />}
      {data && rows.length === 0 && (
        <EmptyState
          icon={CircleCheck}
          title={filter ? 'None of these' : 'No items'}
          text={filter ? 'No item is of this kind on this metric.' : 'The two runs have no traces yet.'}
        />
      )}
      {data && row && (
        <div className="grid grid-cols-1 overflow-clip rounded-card border border-line bg-surface shadow-lift lg:grid-cols-[minmax(260px,22rem)_minmax(0,1fr)] lg:divide-x lg:divide-line max-lg:divide-y max-lg:divide-line">
          <ItemList
            rows={rows}
            total={total}
            activeKey={rowKey(row)}
            metric={metric}
            list={list}
            onSelect={select}
            onOpen={() => setAreTracesOpen(true)}
            onNeedMore={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
          />
          <div className="min-w-0">
            <div className="flex flex-wrap items-center gap-2 border-b border-line px-5 py-2 max-sm:px-4">
              <Button look="quiet" size="small" aria-pressed={isDiffShown} onClick={() => setIsDiffShown(!isDiffShown)}>
                {isDiffShown ? 'Hide what differs' : 'Show what differs'} <ShortcutKeys id="toggleDiff" />
              </Button>
              <Button look="quiet" size="small" onClick={() => setAreTracesOpen(true)}>
                Both traces
              </Button>
              {row.baselineTraceId !== null && row.candidateTraceId !== null && (
                <Link
                  to={pagePaths.compareTraces(pair.applicationId)}
                  search={{ left: row.baselineTraceId, right: row.candidateTraceId }}
                  className={buttonClass('quiet', 'small')}
                >
                  Compare traces
                </Link>
              )}
            </div>
            <ItemDetail pair={pair} row={row} names={names} metric={metric?.name} isDiffShown={isDiffShown} />
          </div>
        </div>
      )}
      {row && (
        <BothTraces
          applicationId={pair.applicationId}
          row={row}
          names={names}
          isOpen={areTracesOpen}
          onClose={() => setAreTracesOpen(false)}
        />
      )}
    </section>
  )
}
