import { useQuery } from '@tanstack/react-query'
import type { RunCase } from '../../api/generated/api.ts'
import { ratingSchemeQuery } from '../../api/rating-scheme-query.ts'
import { annotationPolicyQuery, type RunKey } from '../../api/run-query.ts'
import { useRateInRun } from '../../api/runs-query.ts'
import { SaveState } from '../../ui/save-state.tsx'
import { RatingBar } from '../annotate/rating-bar.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

interface CaseRatingProps {
  runKey: RunKey
  traceDbId: string
  shown: RunCase
}

/** The words to rate the answer with, as part of the run. */
export function CaseRating({ runKey, traceDbId, shown }: CaseRatingProps) {
  const scheme = useQuery(ratingSchemeQuery(runKey.applicationId))
  const { data: policy } = useQuery(annotationPolicyQuery(runKey))
  const me = useMe()
  const rate = useRateInRun(runKey)
  const disabledReason = missingRole(me, 'annotator', 'Rating')
  const own = shown.ratings.find(({ userId }) => userId === me.userId)?.rating
  const value = rate.isPending ? rate.variables.rating : own
  if (!scheme.data) return scheme.error ? <QueryError query={scheme} /> : <span className="min-h-9" />
  const ratings = scheme.data.ratings.filter((rating) => policy?.ratings?.includes(rating.value) ?? true)
  return (
    <section
      aria-label="Your rating"
      className="w-full [&_[role=group]]:flex [&_[role=group]]:flex-wrap [&_[role=group]_button]:min-h-9 touch:[&_[role=group]_button]:min-h-11 [&_[role=group]_button]:py-1 [&_[role=group]_button]:text-data"
    >
      <RatingBar
        ratings={ratings}
        value={value}
        onRate={(rating) => rating !== own && rate.mutate({ traceDbId, rating })}
        disabledReason={disabledReason}
      />
      {(rate.isPending || rate.isSuccess) && (
        <span className="mt-1 block">
          <SaveState state={rate.isPending ? 'saving' : 'saved'} onRetry={() => undefined} />
        </span>
      )}
      <ErrorReport error={rate.error} />
    </section>
  )
}
