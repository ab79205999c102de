import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { hasStatus } from '../../api/api-error.ts'
import { securitySettingsQuery, useRequireSecondFactor } from '../../api/security-settings-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'

/** Whether members need a second factor to enter the application. */
export function RequireFactorSection({ applicationId }: { applicationId: string }) {
  const settings = useQuery(securitySettingsQuery(applicationId))
  const save = useRequireSecondFactor(applicationId)
  const { data } = settings
  const change = (isRequired: boolean) =>
    save.mutate(isRequired, {
      onSuccess: () =>
        showToast({
          tone: 'good',
          message: isRequired ? 'Members need a second factor now.' : 'A second factor is optional now.',
        }),
    })
  return (
    <section aria-labelledby="require-factor" className="mt-10 max-w-xl rounded-card border border-line p-5">
      <h2 id="require-factor" className="font-display text-section font-semibold">
        Second factor
      </h2>
      <p className="mt-1 mb-4 text-soft">
        If required, members without a second factor cannot enter this application, and their API keys stop, until they
        turn one on. For members who sign in with a provider, the provider decides.
      </p>
      {data && (
        <>
          <label htmlFor="factor-required" className="flex items-center gap-3 font-medium touch:min-h-11">
            <Checkbox
              id="factor-required"
              state={(save.isPending ? save.variables : data.requiresSecondFactor) ? 'on' : 'off'}
              aria-describedby="factor-state"
              onChange={(event) => change(event.target.checked)}
            />
            Require a second factor
          </label>
          <p id="factor-state" className="mt-1 pl-7 text-data text-soft">
            {describeMembers(data)}
          </p>
          <div className="mt-3 flex flex-col gap-2 empty:hidden">
            <ErrorReport error={save.error} />
            {hasStatus(save.error, 409) && (
              <Link to={pagePaths.account()} hash="second-factor" className="text-data underline">
                Your second factor
              </Link>
            )}
          </div>
        </>
      )}
      {!data && settings.error && <QueryError query={settings} />}
      {!data && !settings.error && <Skeleton rows={1} />}
    </section>
  )
}

function describeMembers({
  requiresSecondFactor,
  membersWithoutSecondFactor: without,
}: {
  requiresSecondFactor: boolean
  membersWithoutSecondFactor: number
}): string {
  if (without === 0) return 'All members have one.'
  const members = countOf(without, 'member has', 'members have')
  return requiresSecondFactor
    ? `${members} none, and cannot enter.`
    : `${members} none, and would lose access until they turn one on.`
}
