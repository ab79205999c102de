import { useInfiniteQuery } from '@tanstack/react-query'
import { ListChecks, ListPlus } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { describeError, hasStatus } from '../../api/api-error.ts'
import { usePersonName } from '../../api/directory-query.ts'
import type { RunCaseRow } from '../../api/generated/api.ts'
import { useRatingLook } from '../../api/rating-scheme-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { type CaseSort, runCasesQuery } from '../../api/runs-query.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { neighborId, type Sort } from '../../ui/data-table/data-column.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { PeekDock } from '../../ui/peek-dock.tsx'
import { PeekPanel } from '../../ui/peek-panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { lazyDialog } from '../shell/lazy-dialog.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { buildCaseColumns, CaseCard, caseColumnIds } from './case-columns.tsx'
import { CaseFilters } from './case-filters.tsx'
import { CasePeek } from './case-peek.tsx'
import { useRunSearch } from './use-run-search.ts'

const AddTracesDialog = lazyDialog(async () => (await import('./add-traces-dialog.tsx')).AddTracesDialog)

const rowId = ({ id }: RunCaseRow) => id

/** What the run answered to each case, with scores and ratings; one of them in the panel. */
export function CasesTab({ runKey, datasetId }: { runKey: RunKey; datasetId: string }) {
  const { search, change } = useRunSearch()
  const [isAdding, setIsAdding] = useState(false)
  const { q, filter, metric, sort } = search
  const list = useInfiniteQuery(runCasesQuery(runKey, { q, filter, metric, sort }))
  const lookOf = useRatingLook(runKey.applicationId)
  const nameOf = usePersonName(runKey.applicationId)
  const rows = list.data?.rows ?? []
  const first = list.data?.first
  const evaluators = first?.evaluation?.metrics.map(({ name }) => name) ?? []
  const evaluatorsKey = JSON.stringify(evaluators)
  const hasRepetitions = rows.some(({ repetitions }) => repetitions > 1)
  const columns = useMemo(
    () => buildCaseColumns({ evaluators: JSON.parse(evaluatorsKey), hasRepetitions, lookOf }),
    [evaluatorsKey, hasRepetitions, lookOf],
  )
  const columnIds = caseColumnIds({ evaluators, rows, isPeekOpen: search.item !== undefined })
  const position = rows.findIndex(({ id }) => id === search.item)
  const active = rows[position]
  const open = (item: string | undefined) =>
    change({ item, trace: undefined }, search.item && item ? 'replace' : 'push')
  const goTo = (step: 1 | -1) => {
    const next = neighborId(rows.map(rowId), search.item, step)
    return next === undefined ? undefined : () => open(next)
  }
  useShortcut('nextCase', goTo(1))
  useShortcut('previousCase', goTo(-1))
  // The one in the address may be on a later page.
  const isSearching = search.item !== undefined && position === -1 && list.hasNextPage
  useEffect(() => {
    if (isSearching && !list.isFetchingNextPage && !list.isError) void list.fetchNextPage()
  }, [isSearching, list])
  const isQueryWrong = hasStatus(list.error, 400)
  const isFiltered = q !== undefined || filter !== undefined
  return (
    <div>
      <CaseFilters
        applicationId={runKey.applicationId}
        search={search}
        cases={first}
        error={isQueryWrong ? describeError(list.error).message : undefined}
        onChange={(changes) => change({ ...changes, item: undefined, trace: undefined })}
      />
      {first && first.traces > first.total && (
        <p className="mb-2 text-meta text-soft">
          {countOf(first.traces, 'trace')} in {countOf(first.total, 'row')}: several answers to one item are its
          repetitions, and count as one.
        </p>
      )}
      {first && !first.itemsAreComplete && (
        <p className="mb-2 text-meta text-soft">
          Very many traces are not linked to items. They are matched to items by their input when the run is evaluated.
        </p>
      )}
      <div className="overflow-clip rounded-card border border-line has-[section>h2]:border-0">
        <DataTable
          label="Cases"
          columns={columns}
          columnIds={columnIds}
          rows={rows}
          rowId={rowId}
          totalCount={first?.total}
          sort={toTableSort(sort, first?.metric ?? undefined)}
          onSortChange={(next) => change(fromTableSort(next))}
          activeId={search.item}
          onActiveChange={open}
          onOpen={open}
          density="normal"
          scroll="page"
          card={(row) => <CaseCard row={row} evaluators={evaluators} lookOf={lookOf} onOpen={open} />}
          isLoading={list.isPending}
          error={list.error && !isQueryWrong ? <QueryError query={list} /> : undefined}
          moreError={list.error && <QueryError query={{ ...list, refetch: list.fetchNextPage }} />}
          empty={
            <NoCases
              why={isQueryWrong ? 'invalid' : isFiltered ? 'filtered' : 'none'}
              onAdd={() => setIsAdding(true)}
            />
          }
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          onLoadMore={() => void list.fetchNextPage()}
        />
      </div>
      {isAdding && <AddTracesDialog runKey={runKey} onClose={() => setIsAdding(false)} />}
      {search.item && (
        <PeekDock>
          {active ? (
            <CasePeek
              runKey={runKey}
              datasetId={datasetId}
              row={active}
              traceId={search.trace}
              lookOf={lookOf}
              nameOf={nameOf}
              position={`${position + 1} of ${formatCount(first?.total ?? rows.length)}`}
              onTrace={(trace) => change({ trace }, 'replace')}
              onPrevious={goTo(-1)}
              onNext={goTo(1)}
              onClose={() => open(undefined)}
            />
          ) : (
            <PeekPanel label="Case" onPrevious={undefined} onNext={undefined} onClose={() => open(undefined)}>
              {list.isPending || isSearching ? (
                <Skeleton />
              ) : (
                <>
                  <p className="mb-3">This case is not in the list.</p>
                  {isFiltered && (
                    <Button onClick={() => change({ q: undefined, filter: undefined })}>Look in all cases</Button>
                  )}
                </>
              )}
            </PeekPanel>
          )}
        </PeekDock>
      )}
    </div>
  )
}

const reasons = {
  invalid: { title: 'The query is invalid', text: 'Correct it above: the message says where.' },
  filtered: { title: 'No case matches', text: 'Remove the filter or a term of the query.' },
  none: {
    title: 'No case yet',
    text: 'Traces that name this run, in the attribute touchstone.run, appear here. Or choose traces by a query.',
  },
}

function NoCases({ why, onAdd }: { why: keyof typeof reasons; onAdd: () => void }) {
  const notEditable = missingRole(useMe(), 'editor', 'Changing a run')
  const add = (
    <Button disabledReason={notEditable} onClick={onAdd}>
      <ListPlus aria-hidden className="size-4" />
      Add traces by query
    </Button>
  )
  return <EmptyState icon={ListChecks} {...reasons[why]} action={why === 'none' && add} />
}

function toTableSort(sort: CaseSort | undefined, metric: string | undefined): Sort | undefined {
  if (sort === undefined || sort === 'item') return undefined
  const column = sort.replace('-', '')
  return {
    columnId: column === 'score' ? `score.${metric}` : column,
    direction: sort.startsWith('-') ? 'descending' : 'ascending',
  }
}

function fromTableSort({ columnId, direction }: Sort): { sort: CaseSort | undefined; metric?: string } {
  const isDown = direction === 'descending'
  if (columnId === 'duration') return { sort: isDown ? '-duration' : 'duration' }
  if (columnId === 'cost') return { sort: isDown ? '-cost' : 'cost' }
  return { sort: isDown ? '-score' : 'score', metric: columnId.replace(/^score\./, '') }
}
