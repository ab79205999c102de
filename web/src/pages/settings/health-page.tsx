import { useQuery } from '@tanstack/react-query'
import type { InstanceHealth, WorkspaceUsage } from '../../api/generated/api.ts'
import { healthQuery, usageQuery } from '../../api/health-query.ts'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplicationId, useMe } from '../shell/use-application.ts'
import { findProblems } from './find-problems.ts'
import { ArrivalFacts, InstallationFacts, VersionFacts } from './health-facts.tsx'
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

interface HealthVerdictProps {
  health: InstanceHealth
  usage: WorkspaceUsage | undefined
}

/** What is wrong, and what to do about it. */
function HealthVerdict({ health, usage }: HealthVerdictProps) {
  const problems = findProblems(health, usage)
  return (
    <div role="status" className="flex flex-col gap-3">
      {problems.length === 0 && (
        <Notice tone="good" title="Everything works">
          {health.scope === 'installation' ? 'No problem on this server.' : 'No problem in this application.'}
        </Notice>
      )}
      {problems.map(({ title, remedy }) => (
        <Notice key={title} tone="danger" title={title}>
          {remedy}
        </Notice>
      ))}
    </div>
  )
}
