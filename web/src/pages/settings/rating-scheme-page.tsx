import { useQuery } from '@tanstack/react-query'
import { ratingSchemeQuery } from '../../api/rating-scheme-query.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplication, useApplicationId, useMe } from '../shell/use-application.ts'
import { RatingSchemeForm } from './rating-scheme-form.tsx'

export function RatingSchemePage() {
  const applicationId = useApplicationId()
  const { data: saved, error, isFetching, refetch } = useQuery(ratingSchemeQuery(applicationId))
  const disabledReason = missingRole(useMe(), 'editor', 'Changing the rating scheme')
  return (
    <>
      <PageHeader
        title="Rating scheme"
        within={useApplication()?.name ?? ''}
        text="The words that annotators rate answers with, and what each one is worth."
      />
      {saved && <RatingSchemeForm key={applicationId} applicationId={applicationId} disabledReason={disabledReason} />}
      {!saved && error && <QueryError query={{ error, isFetching, refetch }} />}
      {!saved && !error && <Skeleton />}
      {/* Not before the form: it would be pushed down. */}
      <section hidden={!saved && !error} className="mt-10 border-t border-line pt-6">
        <h2 className="mb-3 font-display text-section font-semibold">What a change does</h2>
        <ul className="flex max-w-prose list-disc flex-col gap-1.5 pl-5 text-soft marker:text-faint">
          <li>Existing ratings are kept, with the word that was given.</li>
          <li>New ratings must be one of these words.</li>
          <li>A new score also counts for existing ratings with that word. Finished evaluations do not change.</li>
          <li>
            A word is good if its score is above the middle of the lowest and the highest score, and bad below it.
          </li>
        </ul>
      </section>
    </>
  )
}
