import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiKey } from '../../api/api-query.ts'
import type { UnknownComponent } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { unknownComponentsQuery, useAssignTraces } from '../../api/unknown-components-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { ErrorReport } from './error-report.tsx'
import { QueryError } from './query-error.tsx'
import { missingRole } from './roles.ts'
import { useMe } from './use-application.ts'

const SHOWN = 3
/** The server counts no further. */
const COUNTED_MAX = 10_000
const PAUSE_MS = 10_000

/** Traces that belong to no component because the one that they name did not exist, each name with a button that helps. */
export function UnknownComponents({ applicationId }: { applicationId: string }) {
  const unknown = useQuery(unknownComponentsQuery(applicationId))
  useLiveQuery(applicationId, ['traces'], apiKey('/unknown-components', applicationId), { pauseMs: PAUSE_MS })
  const found = unknown.data?.data ?? []
  if (found.length === 0) return <QueryError query={unknown} />
  return (
    <section aria-label="Traces without a component">
      <Notice>
        <ul className="flex flex-col gap-2">
          {found.slice(0, SHOWN).map((component) => (
            <UnknownName key={component.name} applicationId={applicationId} component={component} />
          ))}
        </ul>
        {found.length > SHOWN && <p className="mt-2">{countOf(found.length - SHOWN, 'other name')} after these.</p>}
        <p className="mt-2 text-data">
          Traces can also{' '}
          <Link to={pagePaths.settings(applicationId, 'general')} className="underline">
            create components by themselves
          </Link>
          , if an admin turns it on.
        </p>
      </Notice>
    </section>
  )
}

function UnknownName({ applicationId, component }: { applicationId: string; component: UnknownComponent }) {
  const { name, traceCount, componentId } = component
  const assign = useAssignTraces(applicationId)
  const disabledReason = missingRole(useMe(), 'editor', 'Creating components')
  const traces = `${countOf(traceCount, 'trace')}${traceCount >= COUNTED_MAX ? ' or more' : ''}`
  const verb = traceCount === 1 ? 'names' : 'name'
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 break-words">
          {traces} {verb} the component <b className="font-semibold">{name}</b>,{' '}
          {componentId ? 'which was created later.' : 'which does not exist.'}
        </p>
        <Button
          size="small"
          className="max-w-full"
          isBusy={assign.isPending}
          disabledReason={disabledReason}
          onClick={() => assign.mutate(name)}
        >
          <span className="truncate">{componentId ? `Assign to ${name}` : `Create ${name}`}</span>
        </Button>
      </div>
      <ErrorReport error={assign.error} />
    </li>
  )
}
