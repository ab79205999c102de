import { useInfiniteQuery } from '@tanstack/react-query'
import type { CSSProperties, KeyboardEvent } from 'react'
import type { TrialDetail } from '../../api/generated/api.ts'
import { type MatrixCall, trialMatrixQuery } from '../../api/trial-matrix-query.ts'
import type { TrialKey } from '../../api/trials-query.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { metricTitle } from '../../ui/metric-words.ts'
import { Select } from '../../ui/select-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { CallDetail } from './call-detail.tsx'
import { MatrixFilters } from './matrix-filters.tsx'
import { MatrixRow, type ShownVariant } from './matrix-row.tsx'
import type { ChangeTrialSearch, TrialSearch } from './trial-search.ts'
import { candidatesOf, markPlaces } from './trial-words.ts'
import { VariantMark } from './variant-mark.tsx'

interface ItemMatrixProps {
  trialKey: TrialKey
  trial: TrialDetail
  search: TrialSearch
  change: ChangeTrialSearch
}

/** As many columns as are read at a glance: the baseline, the compared one, and the next ones in the order of the trial. */
const VARIANTS_SHOWN = 6

/** Item by item: what each variant answered, and which answers got better or worse. */
export function ItemMatrix({ trialKey, trial, search, change }: ItemMatrixProps) {
  const { filter, candidate, from } = search
  const query = useInfiniteQuery(trialMatrixQuery(trialKey, { filter, candidate, from: filter ? undefined : from }))
  const { data } = query
  const compared = data?.candidate ?? candidatesOf(trial)[0]?.name
  const shown = shownVariants(trial, compared)
  const items = data?.data ?? []
  const calls = items.map((item) => shown.flatMap(({ name }) => item.calls.filter((call) => call.variant === name)))
  const all = calls.flat()
  const open = items.flatMap((item) => item.calls).find(({ callId }) => callId === search.call)
  const openItem = items.find((item) => item.calls.some(({ callId }) => callId === search.call))
  const show = (call: MatrixCall | undefined) => call && change({ call: call.callId })
  const step = (by: Step) => show(neighborOf(calls, open, by))
  const hasCalls = all.length > 0
  useShortcut('nextTrialItem', hasCalls ? () => step({ items: 1 }) : undefined)
  useShortcut('previousTrialItem', hasCalls ? () => step({ items: -1 }) : undefined)
  const { repetitions } = trial.plan
  // The calls of a variant follow each other, one for each repetition.
  useShortcut('nextTrialVariant', hasCalls ? () => step({ calls: repetitions }) : undefined)
  useShortcut('previousTrialVariant', hasCalls ? () => step({ calls: -repetitions }) : undefined)
  const onKeyDown = (event: KeyboardEvent) => {
    const by = stepsOfKeys[event.key]
    if (!by || !(event.target instanceof HTMLElement) || event.target.dataset['call'] === undefined) return
    event.preventDefault()
    const from = all.find(({ callId }) => String(callId) === (event.target as HTMLElement).dataset['call'])
    const next = neighborOf(calls, from, by)
    if (!next) return
    show(next)
    event.currentTarget.querySelector<HTMLElement>(`[data-call="${next.callId}"]`)?.focus()
  }
  const style: CSSProperties & Record<'--matrix-column', string> = {
    '--matrix-column': `${Math.max(5.25, Math.min(5, trial.plan.repetitions) * 1.75 + 1.25)}rem`,
  }
  return (
    <section aria-labelledby="items-title" className="mt-10">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 id="items-title" className="font-display text-section font-semibold">
          Items
        </h2>
        <p className="text-data text-soft">
          {data?.metric ? `by ${metricTitle(data.metric)}; ` : ''}arrows against {trial.plan.baseline}
        </p>
        <p className="ml-auto flex items-center gap-1 text-meta text-soft max-rail:hidden">
          <ShortcutKeys id="nextTrialItem" />
          <ShortcutKeys id="previousTrialItem" /> item
          <ShortcutKeys id="previousTrialVariant" />
          <ShortcutKeys id="nextTrialVariant" /> variant
          {repetitions > 1 && open && (
            <>
              <ShortcutKeys id="repetition1" />
              <ShortcutKeys id="repetition2" /> repetition
            </>
          )}
        </p>
      </div>
      {query.error && <QueryError query={query} />}
      {!query.error && !data && <Skeleton rows={10} />}
      {data && (
        <>
          <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
            {data.counts && (
              <MatrixFilters
                counts={data.counts}
                filter={filter}
                onChange={(next) => change({ filter: next, from: undefined, call: undefined })}
              />
            )}
            {trial.variants.length > 2 && (
              // biome-ignore lint/a11y/noLabelWithoutControl: the control is the select inside
              <label className="flex items-center gap-2 text-data text-soft sm:ml-auto">
                Better and worse:
                <Select
                  value={compared ?? ''}
                  onChange={({ target }) => change({ candidate: target.value, call: undefined })}
                >
                  {candidatesOf(trial).map(({ name }) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </Select>
              </label>
            )}
          </div>
          <div className="grid overflow-clip rounded-card border border-line bg-surface shadow-lift rail:grid-cols-[minmax(0,1fr)_17rem] wide:grid-cols-[minmax(0,1fr)_minmax(20rem,24rem)]">
            <div className="min-w-0">
              {from !== undefined && !filter && from > 1 && (
                <p className="flex flex-wrap items-center gap-x-3 border-b border-line px-4 py-2 text-data text-soft">
                  From item {formatCount(from)} on
                  <Button look="quiet" size="small" onClick={() => change({ from: undefined })}>
                    Show from the first one
                  </Button>
                </p>
              )}
              <section
                aria-label="Items and calls"
                // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
                tabIndex={0}
                onKeyDown={onKeyDown}
                style={style}
                className="relative max-h-[40rem] overflow-auto overscroll-contain focus-visible:-outline-offset-2"
              >
                <MatrixHead variants={shown} />
                <ul className="sm:min-w-fit">
                  {items.map((item) => (
                    <MatrixRow
                      key={item.itemId}
                      item={item}
                      variants={shown}
                      baseline={trial.plan.baseline}
                      scoring={data}
                      openCall={search.call}
                      tabCall={open?.callId ?? all[0]?.callId}
                      onOpen={show}
                    />
                  ))}
                </ul>
                {items.length === 0 && <p className="p-4 text-data text-soft">No item is in this list.</p>}
                <LoadMore
                  hasMore={query.hasNextPage}
                  isLoading={query.isFetchingNextPage}
                  onLoad={() => void query.fetchNextPage()}
                />
              </section>
              {shown.length < trial.variants.length && (
                <p className="border-t border-line px-4 py-2 text-meta text-soft">
                  {shown.length} of {trial.variants.length} variants are shown: the baseline, the compared one and the
                  next ones.
                </p>
              )}
            </div>
            <CallDetail trialKey={trialKey} trial={trial} item={openItem} call={open} onOpen={show} />
          </div>
        </>
      )}
    </section>
  )
}

function MatrixHead({ variants }: { variants: readonly ShownVariant[] }) {
  return (
    <div
      aria-hidden
      className="sticky top-0 z-10 grid min-w-fit grid-cols-[3rem_minmax(6rem,1fr)_auto] items-end gap-x-3 border-b border-line bg-surface px-4 py-2 text-meta text-faint max-sm:hidden"
    >
      <span className="text-right">Item</span>
      <span>Question</span>
      <span className="flex">
        {variants.map(({ name, place }) => (
          <span key={name} className="line-clamp-2 w-(--matrix-column) pr-1 wrap-anywhere">
            <VariantMark place={place} />
            {name}
          </span>
        ))}
      </span>
    </div>
  )
}

function shownVariants(trial: TrialDetail, compared: string | undefined): ShownVariant[] {
  const marks = markPlaces(trial)
  const order = ({ name }: { name: string }) => (name === trial.plan.baseline ? 0 : name === compared ? 1 : 2)
  return [...marks]
    .map(([name, place]) => ({ name, place }))
    .toSorted((a, b) => order(a) - order(b) || a.place - b.place)
    .slice(0, VARIANTS_SHOWN)
}

interface Step {
  items?: number
  calls?: number
}

const stepsOfKeys: Record<string, Step> = {
  ArrowDown: { items: 1 },
  ArrowUp: { items: -1 },
  ArrowRight: { calls: 1 },
  ArrowLeft: { calls: -1 },
}

/** The call next to this one, in the same place of another item or in the same item; the first one without any. */
function neighborOf(
  rows: readonly (readonly MatrixCall[])[],
  call: MatrixCall | undefined,
  { items = 0, calls = 0 }: Step,
): MatrixCall | undefined {
  const row = rows.findIndex((one) => call !== undefined && one.includes(call))
  const at = rows[row]
  if (!call || !at) return rows[0]?.[0]
  return rows[row + items]?.[at.indexOf(call) + calls]
}
