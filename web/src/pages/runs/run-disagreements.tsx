import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type DisagreementState, disagreementsQuery } from '../../api/agreement-query.ts'
import type { ResolvableDisagreement } from '../../api/generated/api.ts'
import { type RatingLook, ratingSchemeQuery } from '../../api/rating-scheme-query.ts'
import { annotationPolicyQuery, type RunKey } from '../../api/run-query.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { neighborId } from '../../ui/data-table/data-column.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { PeekDock } from '../../ui/peek-dock.tsx'
import { PeekPanel } from '../../ui/peek-panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useKeepInView } from '../../ui/use-keep-in-view.ts'
import { type DisagreementRow, filterOf } from '../agreement/agreement-model.ts'
import { DisagreementPeek } from '../agreement/disagreement-peek.tsx'
import { DisagreementTable } from '../agreement/disagreement-table.tsx'
import { FilterChip } from '../agreement/filter-chip.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { ResolveBar } from './resolve-bar.tsx'
import { useResolutions } from './use-resolutions.ts'
import { useRunSearch } from './use-run-search.ts'

interface RunDisagreementsProps {
  runKey: RunKey
  /** The ratings in their order. */
  order: string[]
  nameOf: (userId: string) => string
  lookOf: (rating: string) => RatingLook
}

/** The disagreements of a run: a list, and a panel in which one after the other is resolved. */
export function RunDisagreements({ runKey, order, nameOf, lookOf }: RunDisagreementsProps) {
  const { search, change } = useRunSearch()
  const filter = filterOf(search)
  const state = search.state ?? 'open'
  const list = useInfiniteQuery(disagreementsQuery(runKey, filter, state))
  const scheme = useQuery(ratingSchemeQuery(runKey.applicationId))
  const { data: policy } = useQuery(annotationPolicyQuery(runKey))
  const disabledReason = missingRole(useMe(), 'editor', 'Resolving a disagreement')
  // Notes that were not sent yet stay while the user looks at other disagreements.
  const [notes, setNotes] = useState<ReadonlyMap<string, string>>(new Map())
  const rows = (list.data?.rows ?? []).map((row) => toRow(row, nameOf))
  const position = rows.findIndex(({ id }) => id === search.item)
  const active = rows[position]
  useKeepInView(active?.id)
  const open = (item: string | undefined) => change({ item }, search.item && item ? 'replace' : 'push')
  const goTo = (step: 1 | -1) => {
    const next = neighborId(
      rows.map(({ id }) => id),
      search.item,
      step,
    )
    return next === undefined ? undefined : () => open(next)
  }
  const { result, resolve, reopen } = useResolutions(runKey, {
    lookOf,
    onResolved: (resolved) => {
      // The user may have moved on meanwhile.
      if (search.item !== resolved.id) return
      const next = rows.slice(position + 1).find(({ resolution }) => resolution === null)
      if (next) open(next.id)
    },
    onUndone: ({ id }) => open(id),
  })
  useShortcut('nextDisagreement', goTo(1))
  useShortcut('previousDisagreement', goTo(-1))
  // The one in the address may be on a later page.
  const isSearching = search.item !== undefined && position === -1 && list.hasNextPage
  useEffect(() => {
    if (isSearching && !list.isFetchingNextPage && !list.isError) void list.fetchNextPage()
  }, [isSearching, list])
  const { total = 0, open: openCount = 0, resolved = 0 } = list.data ?? {}
  const isFiltered = filter.raters !== undefined
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="font-display text-section font-semibold">Disagreements</h2>
        {list.data && <span className="text-data text-soft">{describeSteps(list.data)}</span>}
        {filter.raters && (
          <FilterChip
            raters={filter.raters}
            ratings={filter.ratings}
            nameOf={nameOf}
            lookOf={lookOf}
            onClear={() => change({ rater_a: undefined, rater_b: undefined, rating_a: undefined, rating_b: undefined })}
          />
        )}
        <span className="ml-auto">
          <Segmented
            label="State"
            value={state}
            options={[
              { value: 'open', label: <Option text="Open" count={openCount} /> },
              { value: 'resolved', label: <Option text="Resolved" count={resolved} /> },
              { value: 'all', label: <Option text="All" count={total} /> },
            ]}
            onChange={(chosen: DisagreementState) =>
              change({ state: chosen === 'open' ? undefined : chosen, item: undefined })
            }
          />
        </span>
      </div>
      <div className="overflow-clip rounded-card border border-line">
        <DisagreementTable
          rows={rows}
          totalCount={isFiltered || !list.data ? undefined : { open: openCount, resolved, all: total }[state]}
          raters={filter.raters}
          order={order}
          lookOf={lookOf}
          resolutions="shown"
          activeId={search.item}
          onActiveChange={open}
          isLoading={list.isPending}
          error={list.error && <QueryError query={list} />}
          empty={<NoDisagreements state={state} total={total} isFiltered={isFiltered} />}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          onLoadMore={() => void list.fetchNextPage()}
        />
      </div>
      <p className="mt-3 text-meta text-faint">
        A resolution is shown next to the ratings, with the name of who decided. The ratings stay, so κ and α do not
        change.
      </p>
      {search.item && (
        <PeekDock>
          {active ? (
            <DisagreementPeek
              applicationId={runKey.applicationId}
              row={active}
              order={order}
              lookOf={lookOf}
              nameOf={nameOf}
              position={`${position + 1} of ${formatCount(rows.length)}${list.hasNextPage ? '+' : ''}`}
              onPrevious={goTo(-1)}
              onNext={goTo(1)}
              onClose={() => open(undefined)}
              footer={
                scheme.isError && !scheme.data ? (
                  <QueryError query={scheme} />
                ) : (
                  <ResolveBar
                    key={active.id}
                    row={active}
                    note={notes.get(active.id) ?? active.resolution?.note ?? ''}
                    onNoteChange={(note) => setNotes(new Map([...notes, [active.id, note]]))}
                    ratings={(scheme.data?.ratings ?? []).filter(
                      ({ value }) => policy?.ratings?.includes(value) ?? true,
                    )}
                    result={result}
                    disabledReason={disabledReason}
                    onResolve={(rating, note) => resolve(active, rating, note)}
                    onReopen={() => reopen(active)}
                  />
                )
              }
            />
          ) : (
            <PeekPanel label="Disagreement" onPrevious={undefined} onNext={undefined} onClose={() => open(undefined)}>
              {list.isPending || isSearching ? (
                <Skeleton />
              ) : (
                <>
                  <p className="mb-3">This disagreement is not in the list: it may be resolved, or no longer there.</p>
                  {(state !== 'all' || isFiltered) && (
                    <Button onClick={() => change({ ...NO_FILTER, state: 'all' })}>Look in all disagreements</Button>
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

const NO_FILTER = { rater_a: undefined, rater_b: undefined, rating_a: undefined, rating_b: undefined }

function Option({ text, count }: { text: string; count: number }) {
  return (
    <>
      {text} <span className="text-meta text-faint tabular-nums">{formatCount(count)}</span>
    </>
  )
}

interface NoDisagreementsProps {
  state: DisagreementState
  /** Of the whole run. */
  total: number
  isFiltered: boolean
}

function NoDisagreements({ state, total, isFiltered }: NoDisagreementsProps) {
  if (total === 0) {
    return <EmptyState icon={CircleCheck} title="No disagreement" text="All ratings of the same trace are equal." />
  }
  if (isFiltered) {
    return <EmptyState icon={CircleCheck} title="None of these" text="Remove the filter to see the others." />
  }
  return state === 'open' ? (
    <EmptyState icon={CircleCheck} title="All are resolved" text="Every disagreement of this run has a resolution." />
  ) : (
    <EmptyState icon={CircleCheck} title="None is resolved yet" text="Open a disagreement, and choose a word for it." />
  )
}

/** "31, the widest first: 2 by 2 steps, 29 by 1 step" */
function describeSteps({ total, steps }: { total: number; steps: { steps: number; count: number }[] }): string {
  if (steps.length === 0) return formatCount(total)
  const widths = steps.map(({ steps: width, count }) => `${formatCount(count)} by ${countOf(width, 'step')}`)
  return `${formatCount(total)}, the widest first: ${widths.join(', ')}`
}

function toRow({ traceDbId, trace, ratings, ...row }: ResolvableDisagreement, nameOf: (id: string) => string) {
  const named = ratings.map((rating) => ({ ...rating, name: rating.name ?? nameOf(rating.userId) }))
  const texts = { input: trace?.input ?? null, output: trace?.output ?? null, expected: trace?.expected ?? null }
  return { ...row, ...texts, id: traceDbId, hasTrace: trace !== null, ratings: named } satisfies DisagreementRow
}
