import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Star } from 'lucide-react'
import { runAgreementQuery } from '../../api/agreement-query.ts'
import { usePersonName } from '../../api/directory-query.ts'
import type { CountedAgreement, Run } from '../../api/generated/api.ts'
import { type RatingLook, useRatingLook } from '../../api/rating-scheme-query.ts'
import { annotationPolicyQuery, type RunKey } from '../../api/run-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { countOf, formatCount, formatPercent } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useHeldWhileHovered } from '../../ui/use-held-while-hovered.ts'
import { Card } from '../agreement/card.tsx'
import { NotInScheme } from '../agreement/not-in-scheme.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { BlindNotice } from './blind-notice.tsx'
import { RatingShares } from './rating-shares.tsx'

/** Who rated how much, and how. */
export function RatingsTab({ runKey, run }: { runKey: RunKey; run: Run }) {
  const { data, error, isFetching, refetch } = useQuery(runAgreementQuery(runKey))
  const layout = data?.raters.map(({ userId }) => userId) ?? []
  const { shown: agreement, hoverProps } = useHeldWhileHovered(data, layout, runKey.runId)
  const { data: policy } = useQuery(annotationPolicyQuery(runKey))
  const canAnnotate = hasRole(useMe().role, 'annotator')
  const directoryName = usePersonName(runKey.applicationId)
  const lookOf = useRatingLook(runKey.applicationId)
  if (!agreement) {
    return error ? <QueryError query={{ error, isFetching, refetch }} /> : <Skeleton />
  }
  const annotatePath = pagePaths.annotate(runKey.applicationId, runKey.componentId, runKey.runId)
  return (
    <>
      <BlindNotice runKey={runKey} raterIds={agreement.raters.map(({ userId }) => userId)} />
      {agreement.items === 0 && agreement.excluded > 0 && (
        <NotInScheme applicationId={runKey.applicationId} count={agreement.excluded} />
      )}
      {agreement.items === 0 && agreement.excluded === 0 && (
        <EmptyState
          icon={Star}
          title={policy?.blind ? 'No rating to show yet' : 'No rating yet'}
          text="Rate answers one by one. With two raters, this page also shows how far they agree."
          action={
            canAnnotate && (
              <Link to={annotatePath} className={buttonClass()}>
                Rate the first answer
              </Link>
            )
          }
        />
      )}
      {agreement.items > 0 && (
        <div className="flex flex-col gap-8">
          <div className="grid gap-6 lg:grid-cols-2">
            <Card>
              <Progress rated={agreement.items} total={run.traceCount} raterCount={agreement.raters.length} />
            </Card>
            <Card>
              <RatingShares title="Ratings" counts={totalsOf(agreement)} lookOf={lookOf} />
            </Card>
          </div>
          <section {...hoverProps}>
            <h2 className="mb-3 font-display text-section font-semibold">Raters</h2>
            <Table
              caption="Raters"
              columns={raterColumns({ nameOf: directoryName, lookOf, order: agreement.categories })}
              rows={agreement.raters}
              rowKey={({ userId }) => userId}
            />
          </section>
          {agreement.excluded > 0 && (
            <p className="text-data text-soft">
              {countOf(agreement.excluded, 'more rating has', 'more ratings have')} words that the rating scheme no
              longer has.
            </p>
          )}
        </div>
      )}
    </>
  )
}

function Progress({ rated, total, raterCount }: { rated: number; total: number; raterCount: number }) {
  return (
    <section aria-label="Progress">
      <p className="font-display text-title font-semibold tabular-nums">
        {formatCount(rated)} of {formatCount(total)}
      </p>
      <p className="mb-3 text-data text-soft">cases rated by {countOf(raterCount, 'person', 'people')}</p>
      <progress
        aria-label="Rated cases"
        value={rated}
        max={Math.max(total, rated)}
        className="h-2 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-series-1 [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-series-1"
      />
    </section>
  )
}

type Rater = CountedAgreement['raters'][number]

interface RaterColumnOptions {
  nameOf: (userId: string) => string
  lookOf: (rating: string) => RatingLook
  order: string[]
}

function raterColumns({ nameOf, lookOf, order }: RaterColumnOptions): Column<Rater>[] {
  return [
    {
      title: 'Name',
      isRowHeader: true,
      cell: ({ userId, name }) => (
        <span className="flex items-center gap-2.5">
          <Avatar name={name ?? nameOf(userId)} />
          {name ?? nameOf(userId)}
        </span>
      ),
    },
    {
      title: 'Ratings',
      align: 'right',
      cell: ({ count }) => <span className="tabular-nums">{formatCount(count)}</span>,
    },
    ...order.map(
      (rating): Column<Rater> => ({
        title: lookOf(rating).label,
        align: 'right',
        cell: ({ ratings, count }) => {
          const given = ratings.find((one) => one.rating === rating)?.count ?? 0
          return (
            <span className="whitespace-nowrap tabular-nums">
              {formatCount(given)}{' '}
              <span className="text-faint">{formatPercent(Math.round((given / count) * 100) / 100)}</span>
            </span>
          )
        },
      }),
    ),
  ]
}

/** How often each rating was given, by all raters together. */
function totalsOf({ raters, categories }: CountedAgreement): { rating: string; count: number }[] {
  const given = raters.flatMap(({ ratings }) => ratings)
  return categories.map((rating) => ({
    rating,
    count: given.reduce((sum, one) => (one.rating === rating ? sum + one.count : sum), 0),
  }))
}
