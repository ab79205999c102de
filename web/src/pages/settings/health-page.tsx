import { useQuery } from '@tanstack/react-query'
import { healthQuery, usageQuery } from '../../api/health-query.ts'
import { Forbidden } from '../../ui/forbidden.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplicationId, useMe } from '../shell/use-application.ts'
import { ArrivalFacts, InstallationFacts, VersionFacts } from './health-facts.tsx'
import { HealthVerdict } from './health-verdict.tsx'
import { JobCounts } from './job-counts.tsx'
import { SettingsHead } from './settings-head.tsx'

export function HealthPage() {
  const hiddenReason = missingRole(useMe(), 'admin', 'Seeing the health of the server')
  return (
    <>
      <SettingsHead section="health" text="Whether data arrives and jobs run, and what to do if not." />
      {hiddenReason ? <Forbidden reason={hiddenReason} /> : <Health />}
    </>
  )
}

function Health() {
  const applicationId = useApplicationId()
  const { data: health, error, isFetching, refetch } = useQuery(healthQuery(applicationId))
  const { data: usage } = useQuery(usageQuery(applicationId))
  if (!health) {
    return error ? <QueryError query={{ error, isFetching, refetch }} /> : <Skeleton />
  }
  const { installation } = health
  return (
    <div className="flex flex-col gap-8">
      <div>
        {error && <QueryError query={{ error, isFetching, refetch }} />}
        {!error && <HealthVerdict health={health} usage={usage} />}
        <p className="mt-2 text-meta text-faint">
          Checked <RelativeTime time={health.checkedAt} />, again every 10 seconds.
        </p>
      </div>
      <ArrivalFacts health={health} usage={usage} />
      <JobCounts health={health} />
      {installation && <InstallationFacts installation={installation} />}
      <VersionFacts health={health} />
      {!installation && (
        <p className="text-data text-soft">
          Admins of all applications of this server also see its database, search index, memory and load.
        </p>
      )}
    </div>
  )
}
