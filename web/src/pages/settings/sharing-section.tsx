import { useQuery } from '@tanstack/react-query'
import { sharingQuery, useSaveSharing } from '../../api/sharing-query.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

/** Whether members may share decisions with people who have no account. */
export function SharingSection({ applicationId }: { applicationId: string }) {
  const sharing = useQuery(sharingQuery(applicationId))
  const save = useSaveSharing(applicationId)
  const disabledReason = missingRole(useMe(), 'admin', 'Changing this setting')
  const { data } = sharing
  const change = (linksAllowed: boolean) =>
    save.mutate(linksAllowed, {
      onSuccess: () =>
        showToast({ tone: 'good', message: linksAllowed ? 'Shared links are allowed.' : 'No shared link works now.' }),
    })
  return (
    <section aria-labelledby="sharing" className="rounded-card border border-line p-5">
      <h2 id="sharing" className="font-display text-section font-semibold">
        Shared links
      </h2>
      <p className="mt-1 mb-4 text-soft">
        If allowed, editors can share the report of a decision by a link that expires. Anyone with the link sees it,
        without an account.
      </p>
      {data && (
        <>
          <label htmlFor="links-allowed" className="flex items-center gap-3 font-medium touch:min-h-11">
            <Checkbox
              id="links-allowed"
              state={(save.isPending ? save.variables : data.linksAllowed) ? 'on' : 'off'}
              aria-disabled={disabledReason !== undefined || undefined}
              aria-describedby="sharing-state"
              onChange={(event) => disabledReason === undefined && change(event.target.checked)}
            />
            Allow shared links
          </label>
          <p id="sharing-state" className="mt-1 pl-7 text-data text-soft">
            {disabledReason ?? describeLinks(data)}
          </p>
          <div className="mt-3 empty:hidden">
            <ErrorReport error={save.error} />
          </div>
        </>
      )}
      {!data && sharing.error && <QueryError query={sharing} />}
      {!data && !sharing.error && <Skeleton rows={1} />}
    </section>
  )
}

function describeLinks({ linksAllowed, activeLinks }: { linksAllowed: boolean; activeLinks: number }): string {
  if (activeLinks === 0) return linksAllowed ? 'There is no active link.' : 'Links are switched off.'
  const links = countOf(activeLinks, 'link')
  return linksAllowed
    ? `${links} can be opened now. Turning it off stops all of them at once.`
    : `Links are switched off. ${links} that ${activeLinks === 1 ? 'has' : 'have'} not expired would work again.`
}
