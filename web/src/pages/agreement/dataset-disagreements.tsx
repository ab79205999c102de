import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { tracePreviewsQuery } from '../../api/agreement-query.ts'
import type { CountedAgreement, TraceRow } from '../../api/generated/api.ts'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import { traceQuery } from '../../api/traces-query.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { neighborId } from '../../ui/data-table/data-column.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { PeekDock } from '../../ui/peek-dock.tsx'
import { useKeepInView } from '../../ui/use-keep-in-view.ts'
import { type DisagreementRow, filterOf, type Two } from './agreement-model.ts'
import type { AgreementSearch } from './agreement-search.ts'
import { DisagreementPeek } from './disagreement-peek.tsx'
import { DisagreementTable } from './disagreement-table.tsx'
import { FilterChip } from './filter-chip.tsx'

interface DatasetDisagreementsProps {
  applicationId: string
  agreement: CountedAgreement
  search: AgreementSearch
  nameOf: (userId: string) => string
  lookOf: (rating: string) => RatingLook
  onChange: (changes: Partial<AgreementSearch>, history?: 'push' | 'replace') => void
}

/** The disagreements of a dataset. The server lists the most evenly divided ones, with their ratings but without texts. */
export function DatasetDisagreements({
  applicationId,
  agreement,
  search,
  nameOf,
  lookOf,
  onChange,
}: DatasetDisagreementsProps) {
  const { disagreements, disagreementsTotal: total, categories } = agreement
  const { raters, ratings } = filterOf(search)
  const ids = disagreements.map(({ traceDbId }) => traceDbId)
  const previews = useQuery({ ...tracePreviewsQuery(applicationId, ids), enabled: ids.length > 0 })
  const order = agreement.alpha.level === 'ordinal' ? categories : undefined
  const rows = disagreements
    .filter((one) => isBetween(one.ratings, raters, ratings))
    .map((one): DisagreementRow => {
      const trace = previews.data?.get(one.traceDbId)
      const named = one.ratings.map((rating) => ({ ...rating, name: nameOf(rating.userId) }))
      const facts = { id: one.traceDbId, ratings: named, resolution: null, steps: stepsOf(one.ratings, order) }
      return { ...facts, ...textsOf(trace), hasTrace: trace !== undefined || !previews.isSuccess }
    })
  const position = rows.findIndex(({ id }) => id === search.item)
  const active = rows[position]
  useKeepInView(active?.id)
  // The list has only the beginnings of the texts.
  const { data: trace } = useQuery({
    ...traceQuery({ applicationId, traceId: active?.id ?? '' }),
    enabled: active?.hasTrace === true,
  })
  const open = (item: string | undefined) => onChange({ item }, search.item && item ? 'replace' : 'push')
  const goTo = (step: 1 | -1) => {
    const next = neighborId(
      rows.map(({ id }) => id),
      search.item,
      step,
    )
    return next === undefined ? undefined : () => open(next)
  }
  useShortcut('nextDisagreement', goTo(1))
  useShortcut('previousDisagreement', goTo(-1))
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="font-display text-section font-semibold">Disagreements</h2>
        <span className="text-data text-soft">
          {total > disagreements.length
            ? `${formatCount(disagreements.length)} of ${formatCount(total)}, the most evenly divided`
            : formatCount(total)}
        </span>
        {raters && (
          <FilterChip
            raters={raters}
            ratings={ratings}
            nameOf={nameOf}
            lookOf={lookOf}
            onClear={() =>
              onChange({ rater_a: undefined, rater_b: undefined, rating_a: undefined, rating_b: undefined })
            }
          />
        )}
      </div>
      <div className="overflow-clip rounded-card border border-line">
        <DisagreementTable
          rows={rows}
          raters={raters}
          order={categories}
          lookOf={lookOf}
          activeId={active?.id}
          onActiveChange={open}
          empty={
            total === 0 ? (
              <EmptyState icon={CircleCheck} title="No disagreement" text="All ratings of the same trace are equal." />
            ) : (
              <EmptyState icon={CircleCheck} title="None of these" text="Remove the filter to see the others." />
            )
          }
        />
      </div>
      {active && (
        <PeekDock>
          <DisagreementPeek
            applicationId={applicationId}
            row={trace?.id === active.id ? { ...active, input: trace.input, output: trace.output } : active}
            order={categories}
            lookOf={lookOf}
            nameOf={nameOf}
            position={`${position + 1} of ${formatCount(rows.length)}`}
            onPrevious={goTo(-1)}
            onNext={goTo(1)}
            onClose={() => open(undefined)}
          />
        </PeekDock>
      )}
    </div>
  )
}

type Ratings = CountedAgreement['disagreements'][number]['ratings']

/** As the server selects the disagreements of a run. */
function isBetween(given: Ratings, raters: Two | undefined, ratings: Two | undefined): boolean {
  if (!raters) return true
  const [first, second] = raters.map((id) => given.find(({ userId }) => userId === id)?.rating)
  if (first === undefined || second === undefined) return false
  return ratings ? first === ratings[0] && second === ratings[1] : first !== second
}

function stepsOf(given: Ratings, order: string[] | undefined): number | null {
  if (!order) return null
  const ranks = given.map(({ rating }) => order.indexOf(rating))
  return Math.max(...ranks) - Math.min(...ranks)
}

function textsOf(trace: TraceRow | undefined) {
  return { input: trace?.preview?.input ?? null, output: trace?.preview?.output ?? null, expected: null }
}
