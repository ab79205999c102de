import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { describeError, hasStatus } from '../../api/api-error.ts'
import { apiKey } from '../../api/api-query.ts'
import type { TraceRow } from '../../api/generated/api.ts'
import { loadPart } from '../../api/server-connection.ts'
import { type TraceListSort, traceRowsQuery } from '../../api/trace-list-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { neighborId, type Sort } from '../../ui/data-table/data-column.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { QueryError } from '../shell/query-error.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { UnknownComponents } from '../shell/unknown-components.tsx'
import { useApplication, useApplicationCrumb, useMe } from '../shell/use-application.ts'
import { FacetRail, railSetting } from './facet-rail.tsx'
import { listParameter } from './listed-trace.ts'
import { LiveButton } from './live-button.tsx'
import { NoTraces } from './no-traces.tsx'
import { QueryBar } from './query-bar.tsx'
import { RangePicker } from './range-picker.tsx'
import { readRecentQueries, rememberQuery } from './recent-queries.ts'
import { isRangeLimited, type RangeSearch } from './time-range.ts'
import { TraceActions } from './trace-actions.tsx'
import { formatTime, TraceCard } from './trace-columns.tsx'
import type { TraceListSearch } from './trace-list-search.ts'
import { TracesHeader } from './traces-header.tsx'
import { TracesStrip } from './traces-strip.tsx'
import { useNewTraces } from './use-new-traces.ts'
import { useTimeRange } from './use-time-range.ts'
import { useTraceTable } from './use-trace-table.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/traces')

const TracePeek = lazy(async () => ({ default: (await loadPart(() => import('./trace-peek.tsx'))).TracePeek }))

const rowId = ({ id }: TraceRow) => id

export function TracesPage() {
  const { applicationId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { userId } = useMe()
  // A narrow window has no room for them next to the list.
  const isWide = useMediaQuery('(min-width: 1100px)')
  const railState = railSetting.use()
  const [areFiltersOpen, setAreFiltersOpen] = useState(false)
  const areFiltersShown = isWide ? railState === 'open' : areFiltersOpen
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const range = useTimeRange(applicationId, search)
  const filter = { q: search.q || undefined, ...range.times }
  const isLimited = isRangeLimited(search)
  const sort = search.sort ?? '-time'
  const list = useInfiniteQuery(traceRowsQuery(applicationId, filter, sort))
  const rows = list.data?.rows ?? []
  const showNew = () => {
    range.refresh()
    for (const path of ['/traces', '/traces/series', '/traces/facet-groups'] as const)
      void queryClient.invalidateQueries({ queryKey: apiKey(path, applicationId) })
  }
  const arrived = useNewTraces({
    applicationId,
    filter,
    list: list.data,
    isLive: search.live === true && !search.to,
    onShow: showNew,
  })
  const change = (changes: Partial<TraceListSearch>, history: 'push' | 'replace' = 'push') =>
    void navigate({
      to: pagePaths.traces(applicationId),
      search: { ...search, ...changes },
      replace: history === 'replace',
      resetScroll: false,
    })
  const changeRange = (times: RangeSearch) => {
    range.refresh()
    change({ ...times, live: times.to ? undefined : search.live })
  }
  const table = useTraceTable({
    applicationId,
    cols: search.cols,
    rows,
    onColumnsChange: (cols) => change({ cols }, 'replace'),
  })
  // An empty query is part of the address of a view, because without it the view's own one would be shown.
  const submitQuery = (q: string) => change({ q: q || (search.view ? '' : undefined), trace: undefined })
  const listed = listParameter(search)
  const isQueryWrong = hasStatus(list.error, 400)
  const hasMatched = list.isSuccess && !list.isPlaceholderData
  const recent = useRecentQueries({ applicationId, userId }, hasMatched ? filter.q : undefined)
  const position = rows.findIndex(({ id }) => id === search.trace)
  const goTo = (step: 1 | -1) => {
    const next = neighborId(rows.map(rowId), search.trace, step)
    return next === undefined || position === -1 ? undefined : () => change({ trace: next }, 'replace')
  }
  return (
    <div className="flex h-dvh min-h-0 flex-col max-sm:h-auto">
      <title>{`Traces · ${useApplication()?.name ?? ''} · Touchstone`}</title>
      <TopRow parents={[useApplicationCrumb()]} current="Traces">
        <LiveButton
          isOn={search.live === true && !search.to}
          disabledReason={search.to ? 'A time range that ends gets no new traces.' : undefined}
          onChange={(isOn) => change({ live: isOn || undefined }, 'replace')}
        />
        <RangePicker value={search} onChange={changeRange} />
      </TopRow>
      <div className="flex shrink-0 flex-col gap-2 px-6 pt-4 pb-1 max-sm:px-4">
        <TracesHeader
          applicationId={applicationId}
          search={search}
          filter={filter}
          list={list.data}
          newCount={arrived.count}
          onShowNew={showNew}
          table={table}
          areFiltersShown={areFiltersShown}
          onToggleFilters={() =>
            isWide ? railSetting.choose(areFiltersShown ? 'closed' : 'open') : setAreFiltersOpen(!areFiltersOpen)
          }
          onChange={change}
        />
        <UnknownComponents applicationId={applicationId} />
        <QueryBar
          applicationId={applicationId}
          query={search.q ?? ''}
          error={isQueryWrong ? describeError(list.error).message : undefined}
          recent={recent}
          onSubmit={submitQuery}
        />
        <TracesStrip
          applicationId={applicationId}
          filter={filter}
          onSelect={(times) => changeRange({ range: undefined, from: times?.from, to: times?.to })}
        />
        {list.data && !list.data.isSortComplete && (
          <p className="text-meta text-soft">Sorted are the newest 10,000 of the traces that match.</p>
        )}
        {list.data?.searchedSince && (
          <p className="text-meta text-soft">
            Only traces since {formatTime(list.data.searchedSince)} were searched. Search for a longer text, or choose
            an earlier time.
          </p>
        )}
      </div>
      <div className="relative flex min-h-0 flex-1">
        {areFiltersShown && (
          <div
            className={
              isWide
                ? 'w-60 shrink-0'
                : 'absolute inset-y-0 left-0 z-20 w-72 max-w-full bg-canvas shadow-float max-sm:fixed max-sm:inset-0 max-sm:z-40 max-sm:w-full'
            }
          >
            <FacetRail
              applicationId={applicationId}
              filter={filter}
              onQuery={submitQuery}
              {...(isWide ? {} : { onClose: () => setAreFiltersOpen(false) })}
            />
          </div>
        )}
        <div ref={table.ref} className="flex min-w-0 flex-1 flex-col" {...arrived.hoverProps}>
          <DataTable
            label="Traces"
            columns={table.columns}
            columnIds={table.columnIds}
            rows={table.isReady ? rows : []}
            rowId={rowId}
            totalCount={list.data?.isTotalExact ? list.data.total : undefined}
            sort={toTableSort(sort)}
            onSortChange={(next) => change({ sort: toTraceSort(next) })}
            selection={selection}
            onSelectionChange={setSelection}
            activeId={search.trace}
            onActiveChange={(id) => change({ trace: id }, search.trace ? 'replace' : 'push')}
            onOpen={(id) => void navigate({ to: pagePaths.trace(applicationId, id), search: { list: listed } })}
            density={table.density}
            scroll="own"
            card={(row) => <TraceCard row={row} lookOf={table.lookOf} />}
            isLoading={list.isPending || !table.isReady}
            error={list.error && !isQueryWrong ? <QueryError query={list} /> : undefined}
            empty={
              <NoTraces
                applicationId={applicationId}
                why={isQueryWrong ? 'invalid' : filter.q || isLimited ? 'filtered' : 'none'}
                onClearQuery={filter.q ? () => submitQuery('') : undefined}
                onAllTimes={
                  isLimited ? () => changeRange({ range: undefined, from: undefined, to: undefined }) : undefined
                }
              />
            }
            hasMore={list.hasNextPage}
            isLoadingMore={list.isFetchingNextPage}
            onLoadMore={() => void list.fetchNextPage()}
          />
          <TraceActions applicationId={applicationId} rows={rows} selection={selection} onSelect={setSelection} />
        </div>
        {search.trace && (
          <div className="w-[390px] shrink-0 max-lg:w-[340px]">
            <Suspense>
              <TracePeek
                applicationId={applicationId}
                traceId={search.trace}
                list={listed}
                row={rows[position]}
                isListLoading={list.isPending}
                position={position === -1 ? undefined : `${position + 1} of ${formatCount(list.data?.total ?? 0)}`}
                onPrevious={goTo(-1)}
                onNext={goTo(1)}
                onSelectSpan={(span) =>
                  void navigate({
                    to: pagePaths.trace(applicationId, search.trace ?? ''),
                    search: { span, list: listed },
                  })
                }
                onClose={() => change({ trace: undefined })}
              />
            </Suspense>
          </div>
        )}
      </div>
    </div>
  )
}

/** The last queries. One that the server has rejected is not worth remembering. */
function useRecentQueries(owner: Parameters<typeof readRecentQueries>[0], matched: string | undefined): string[] {
  const { applicationId, userId } = owner
  useEffect(() => {
    if (matched) rememberQuery({ applicationId, userId }, matched)
  }, [applicationId, userId, matched])
  // Read again when there is another one.
  return useMemo(
    () => readRecentQueries({ applicationId, userId }).filter((query) => query !== matched),
    [applicationId, userId, matched],
  )
}

function toTableSort(sort: TraceListSort): Sort {
  const columnId = sort.replace('-', '')
  return { columnId, direction: sort.startsWith('-') ? 'descending' : 'ascending' }
}

function toTraceSort({ columnId, direction }: Sort): TraceListSort | undefined {
  const sorts: Record<string, [TraceListSort, TraceListSort]> = {
    time: ['time', '-time'],
    arrival: ['arrival', '-arrival'],
    duration: ['duration', '-duration'],
    cost: ['cost', '-cost'],
    tokens: ['tokens', '-tokens'],
  }
  return sorts[columnId]?.[direction === 'ascending' ? 0 : 1]
}
