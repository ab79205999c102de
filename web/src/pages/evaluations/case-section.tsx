import { useInfiniteQuery } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { useEffect } from 'react'
import type { EvaluationKey } from '../../api/components-query.ts'
import { casesQuery } from '../../api/evaluation-query.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { neighborId } from '../../ui/data-table/data-column.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { PeekDock } from '../../ui/peek-dock.tsx'
import { useKeepInView } from '../../ui/use-keep-in-view.ts'
import { QueryError } from '../shell/query-error.tsx'
import { CaseFilters } from './case-filters.tsx'
import { CasePeek } from './case-peek.tsx'
import { CaseTable } from './case-table.tsx'
import type { EvaluationSearch } from './evaluation-search.ts'
import { CASES_ID, caseFilterOf, NO_FILTER } from './use-evaluation-search.ts'

interface CaseSectionProps {
  evaluationKey: EvaluationKey
  /** All metrics of the evaluation. */
  metrics: string[]
  search: EvaluationSearch
  onChange: (changes: Partial<EvaluationSearch>, history?: 'push' | 'replace') => void
}

/** The cases behind the numbers: filtered, sorted, and one after the other in the panel. */
export function CaseSection({ evaluationKey, metrics, search, onChange }: CaseSectionProps) {
  const list = useInfiniteQuery(casesQuery(evaluationKey, caseFilterOf(search)))
  const rows = list.data?.rows ?? []
  const counts = list.data?.counts ?? null
  const isFiltered = search.metric !== undefined || search.state !== undefined || search.error !== undefined
  const position = rows.findIndex(({ id }) => id === search.score)
  useKeepInView(search.score)
  const open = (score: string | undefined) => onChange({ score }, search.score && score ? 'replace' : 'push')
  const goTo = (step: 1 | -1) => {
    const next = neighborId(
      rows.map(({ id }) => id),
      search.score,
      step,
    )
    return next === undefined ? undefined : () => open(next)
  }
  useShortcut('nextCase', goTo(1))
  useShortcut('previousCase', goTo(-1))
  // At the end of the loaded rows, the next page follows.
  const isAtEnd = search.score !== undefined && position === rows.length - 1 && list.hasNextPage
  useEffect(() => {
    if (isAtEnd && !list.isFetchingNextPage && !list.isError) void list.fetchNextPage()
  }, [isAtEnd, list])
  const named =
    search.metric === undefined ? metrics : [search.metric, ...metrics.filter((name) => name !== search.metric)]
  return (
    <div id={CASES_ID} className="mt-8 scroll-mt-16">
      <h2 className="mb-3 font-display text-section font-semibold">Cases</h2>
      <CaseFilters search={search} metrics={metrics} counts={counts} onChange={onChange} />
      <div className="overflow-clip rounded-card border border-line">
        <CaseTable
          rows={rows}
          metrics={named}
          metric={search.metric}
          totalCount={isFiltered ? undefined : counts?.total}
          sort={
            search.sort && {
              columnId: `metric ${search.metric}`,
              direction: search.sort === 'score' ? 'ascending' : 'descending',
            }
          }
          onSortChange={({ direction }) => onChange({ sort: direction === 'ascending' ? 'score' : '-score' })}
          activeId={search.score}
          onActiveChange={open}
          isLoading={list.isPending}
          error={list.error && <QueryError query={list} />}
          empty={
            <EmptyState
              icon={ListChecks}
              title={isFiltered ? 'No case matches' : 'No case yet'}
              text={
                isFiltered ? 'Choose another metric or outcome.' : 'The cases appear here as soon as they are planned.'
              }
              action={isFiltered && <Button onClick={() => onChange(NO_FILTER)}>Show all cases</Button>}
            />
          }
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          onLoadMore={() => void list.fetchNextPage()}
        />
      </div>
      {search.score !== undefined && (
        <PeekDock>
          <CasePeek
            evaluationKey={evaluationKey}
            caseId={search.score}
            metrics={named}
            position={
              position === -1
                ? undefined
                : `${position + 1} of ${formatCount(rows.length)}${list.hasNextPage ? '+' : ''}`
            }
            onPrevious={position === -1 ? undefined : goTo(-1)}
            onNext={position === -1 ? undefined : goTo(1)}
            onClose={() => open(undefined)}
          />
        </PeekDock>
      )}
    </div>
  )
}
