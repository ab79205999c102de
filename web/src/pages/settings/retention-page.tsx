import { useQuery } from '@tanstack/react-query'
import { retentionQuery } from '../../api/retention-query.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplication, useApplicationId, useMe } from '../shell/use-application.ts'
import { CleanupProgress } from './cleanup-progress.tsx'
import { RetentionForm } from './retention-form.tsx'
import { SettingsHead } from './settings-head.tsx'

export function RetentionPage() {
  const applicationId = useApplicationId()
  const name = useApplication()?.name ?? ''
  const { data: retention, error, isFetching, refetch } = useQuery(retentionQuery(applicationId))
  const disabledReason = missingRole(useMe(), 'admin', 'Changing the retention period')
  return (
    <>
      <SettingsHead
        section="retention"
        text="How long traces are kept after they arrive. Dataset items have their own copy and stay."
      />
      {retention && (
        <div className="flex flex-col gap-6">
          <RetentionForm
            key={applicationId}
            applicationId={applicationId}
            applicationName={name}
            disabledReason={disabledReason}
          />
          <CleanupProgress retention={retention} />
        </div>
      )}
      {!retention && error && <QueryError query={{ error, isFetching, refetch }} />}
      {!retention && !error && <Skeleton rows={2} />}
    </>
  )
}
