import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { type AuditFilter, auditQuery } from '../../api/audit-query.ts'
import { directoryQuery } from '../../api/directory-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplicationId, useMe } from '../shell/use-application.ts'
import { AuditDays } from './audit-days.tsx'
import { AuditFilters } from './audit-filters.tsx'
import type { AuditSearch } from './audit-search.ts'
import { SettingsHead } from './settings-head.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/settings/audit')

export function AuditPage() {
  const hiddenReason = missingRole(useMe(), 'admin', 'Reading the audit log')
  return (
    <>
      <SettingsHead section="audit" text="Who changed, deleted or was denied what in this application, newest first." />
      {hiddenReason ? <Forbidden reason={hiddenReason} /> : <AuditLog />}
    </>
  )
}

function AuditLog() {
  const applicationId = useApplicationId()
  const search = route.useSearch()
  const navigate = useNavigate()
  const events = useInfiniteQuery(auditQuery(applicationId, filterOf(search)))
  // The log waits for the names, so that no entry changes while it is read. If they fail to load, it is shown without.
  const { data: people, isPending } = useQuery(directoryQuery(applicationId))
  const names = people && new Map(people.map(({ userId, name }) => [userId, name]))
  const isFiltered = Object.values(search).some(Boolean)
  return (
    <>
      <AuditFilters
        search={search}
        people={people ?? []}
        onChange={(next) =>
          void navigate({ to: pagePaths.settings(applicationId, 'audit'), search: { ...next }, replace: true })
        }
      />
      {isPending ? (
        <Skeleton />
      ) : (
        <PagedList query={events} empty={<NoEvents isFiltered={isFiltered} />}>
          {(rows) => <AuditDays events={rows} names={names} />}
        </PagedList>
      )}
    </>
  )
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState
      icon={ScrollText}
      title="No event matches"
      text="Choose another kind, person or time, or clear the filters."
    />
  ) : (
    <EmptyState
      icon={ScrollText}
      title="Nothing recorded yet"
      text="Changes of settings, members and keys, deletions, sign-ins and denied requests appear here."
    />
  )
}

/** Days are those of the reader's time zone, as in the log. */
function filterOf({ action, actor, from, to }: AuditSearch): AuditFilter {
  return {
    ...(action && { action }),
    ...(actor && { actor_id: actor }),
    ...(from && { created_after: startOf(from, 0) }),
    ...(to && { created_before: startOf(to, 1) }),
  }
}

function startOf(day: string, daysLater: number): string {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + daysLater)
  return date.toISOString()
}
