import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { auditQuery, memberNamesQuery } from '../../api/audit-query.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplication, useApplicationId, useMe } from '../shell/use-application.ts'
import { AuditDays } from './audit-days.tsx'
import { SettingsList } from './settings-list.tsx'

export function AuditPage() {
  const applicationId = useApplicationId()
  const hiddenReason = missingRole(useMe(), 'admin', 'Reading the audit log')
  const enabled = !hiddenReason
  const events = useInfiniteQuery({ ...auditQuery(applicationId), enabled })
  // The log waits for the names, so that no entry changes while it is read. If they fail to load, it is shown without.
  const { data: names, isPending } = useQuery({ ...memberNamesQuery(applicationId), enabled })
  const empty = (
    <EmptyState
      icon={ScrollText}
      title="Nothing recorded yet"
      text="Changes of settings, members and keys, deletions, sign-ins and denied requests appear here."
    />
  )
  return (
    <>
      <PageHeader
        title="Audit"
        within={useApplication()?.name ?? ''}
        text="Who changed, deleted or was denied what in this application, newest first."
      />
      {hiddenReason && <Forbidden reason={hiddenReason} />}
      {!hiddenReason && isPending && <Skeleton />}
      {!hiddenReason && !isPending && (
        <SettingsList query={events} empty={empty}>
          {(rows) => <AuditDays events={rows} names={names} />}
        </SettingsList>
      )}
    </>
  )
}
