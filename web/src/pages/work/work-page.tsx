import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { apiKey } from '../../api/api-query.ts'
import type { Work } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { workQuery } from '../../api/work-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { countOf } from '../../ui/format-number.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useHeldWhileHovered } from '../../ui/use-held-while-hovered.ts'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { ShowChanges } from '../shell/show-changes.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication, useApplicationCrumb, useApplicationId, useMe } from '../shell/use-application.ts'
import { WorkList } from './work-list.tsx'

/** The runs that wait for the user: to be rated, or to be discussed. */
export function WorkPage() {
  const applicationId = useApplicationId()
  const application = useApplication()
  const reason = missingRole(useMe(), 'annotator', 'Rating traces')
  const { data, error, isFetching, refetch } = useQuery({
    ...workQuery(applicationId),
    enabled: reason === undefined,
    // The list of what to do next must not be a minute old.
    staleTime: 0,
  })
  useLiveQuery(applicationId, ['runs', 'annotations'], apiKey('/me/work', applicationId))
  const layout = data?.data.map(({ runId }) => runId) ?? []
  const { shown: work, isOutdated, release, hoverProps } = useHeldWhileHovered(data, layout, applicationId)
  return (
    <div {...hoverProps}>
      <TopRow parents={[useApplicationCrumb()]} current="My work">
        {isOutdated && <ShowChanges onClick={release} />}
      </TopRow>
      <PageBody>
        <PageHeader title="My work" within={application?.name ?? ''} text={work ? summarize(work) : null} />
        {reason && <Forbidden reason={reason} />}
        {error && <QueryError query={{ error, isFetching, refetch }} />}
        {!reason && !error && !work && <Skeleton />}
        {work && work.data.length === 0 && (
          <EmptyState
            icon={Inbox}
            title="Nothing waits for you"
            text="Runs appear here when they have an annotation policy, or when someone has begun to rate them. To begin yourself, open a component and annotate one of its runs."
            action={
              <Link to={pagePaths.components(applicationId)} className={buttonClass()}>
                Open the components
              </Link>
            }
          />
        )}
        {work && work.data.length > 0 && <WorkList applicationId={applicationId} runs={work.data} />}
        {work?.hasMore && (
          <p className="mt-3 text-data text-soft">Only the newest 100 runs with ratings or a policy are considered.</p>
        )}
      </PageBody>
    </div>
  )
}

function summarize({ remaining, disagreements }: Work): string {
  const toRate = `${countOf(remaining, 'trace')} to rate`
  if (disagreements === 0) return toRate
  return `${toRate}, ${countOf(disagreements, 'disagreement')}`
}
