import { useQuery } from '@tanstack/react-query'
import { traceSettingsQuery, useSaveTraceSettings } from '../../api/trace-settings-query.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

/** Whether traces create the components that they name. */
export function TraceSettingsSection({ applicationId }: { applicationId: string }) {
  const settings = useQuery(traceSettingsQuery(applicationId))
  const save = useSaveTraceSettings(applicationId)
  const disabledReason = missingRole(useMe(), 'admin', 'Changing this setting')
  const { data } = settings
  const change = (createsComponents: boolean) =>
    save.mutate(createsComponents, {
      onSuccess: () =>
        showToast({
          tone: 'good',
          message: createsComponents ? 'New traces create their components.' : 'Traces create no components now.',
        }),
    })
  return (
    <section aria-labelledby="trace-settings" className="rounded-card border border-line p-5">
      <h2 id="trace-settings" className="font-display text-section font-semibold">
        Components that traces name
      </h2>
      <p className="mt-1 mb-4 text-soft">
        If a trace names a component that does not exist, it is stored without one, and the page of the traces offers to
        create it. Turn this on to create it at once. A mistyped name then creates a component, too.
      </p>
      {data && (
        <>
          <label htmlFor="creates-components" className="flex items-center gap-3 font-medium touch:min-h-11">
            <Checkbox
              id="creates-components"
              state={(save.isPending ? save.variables : data.createsComponents) ? 'on' : 'off'}
              aria-disabled={disabledReason !== undefined || undefined}
              aria-describedby="creates-components-state"
              onChange={(event) => disabledReason === undefined && change(event.target.checked)}
            />
            Create components that traces name
          </label>
          <p id="creates-components-state" className="mt-1 pl-7 text-data text-soft">
            {disabledReason ?? 'It applies to traces that arrive from now on.'}
          </p>
          <div className="mt-3 empty:hidden">
            <ErrorReport error={save.error} />
          </div>
        </>
      )}
      {!data && settings.error && <QueryError query={settings} />}
      {!data && !settings.error && <Skeleton rows={1} />}
    </section>
  )
}
