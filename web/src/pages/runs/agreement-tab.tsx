import { useQuery } from '@tanstack/react-query'
import { Scale } from 'lucide-react'
import { runAgreementQuery } from '../../api/agreement-query.ts'
import { usePersonName } from '../../api/directory-query.ts'
import { useRatingLook } from '../../api/rating-scheme-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { AgreementFigures } from '../agreement/agreement-figures.tsx'
import { filterOf, searchOfFilter } from '../agreement/agreement-model.ts'
import { NotInScheme } from '../agreement/not-in-scheme.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { BlindNotice } from './blind-notice.tsx'
import { RunDisagreements } from './run-disagreements.tsx'
import { useRunSearch } from './use-run-search.ts'

/** How far the raters of a run agree, and where they do not. */
export function AgreementTab({ runKey }: { runKey: RunKey }) {
  const { data: agreement, error, isFetching, refetch } = useQuery(runAgreementQuery(runKey))
  const directoryName = usePersonName(runKey.applicationId)
  const lookOf = useRatingLook(runKey.applicationId)
  const { search, change } = useRunSearch()
  if (!agreement) {
    return error ? <QueryError query={{ error, isFetching, refetch }} /> : <Skeleton />
  }
  const nameOf = (userId: string) =>
    agreement.raters.find((rater) => rater.userId === userId)?.name ?? directoryName(userId)
  return (
    <>
      <BlindNotice runKey={runKey} raterIds={agreement.raters.map(({ userId }) => userId)} />
      <AgreementFigures
        agreement={agreement}
        nameOf={nameOf}
        lookOf={lookOf}
        {...filterOf(search)}
        onChange={(raters, ratings) => change(searchOfFilter(raters, ratings))}
      />
      {agreement.items === 0 && agreement.excluded > 0 && (
        <NotInScheme applicationId={runKey.applicationId} count={agreement.excluded} />
      )}
      {agreement.alpha.units === 0 && (agreement.items > 0 || agreement.excluded === 0) && (
        <EmptyState
          icon={Scale}
          title="Nothing to compare yet"
          text="Agreement needs traces that two people have rated. Ask a second person to annotate this run."
        />
      )}
      {agreement.alpha.units > 0 && (
        <RunDisagreements runKey={runKey} order={agreement.categories} nameOf={nameOf} lookOf={lookOf} />
      )}
    </>
  )
}
