import { KeyRound, MoreHorizontal } from 'lucide-react'
import { useTestConnection, useUpdateConnection } from '../../api/connections-query.ts'
import type { Connection, ConnectionTest } from '../../api/generated/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { describeLimits } from './describe-limits.ts'
import { providerOf } from './provider-kinds.ts'

interface ConnectionCardProps {
  applicationId: string
  connection: Connection
  /** Why the user may not manage connections. */
  disabledReason: string | undefined
  onEdit: () => void
  onRemoveKey: () => void
  onDelete: () => void
}

export function ConnectionCard({ applicationId, connection, disabledReason, ...on }: ConnectionCardProps) {
  const { name, kind, baseUrl, hasKey, models, concurrency, requestsPerMinute } = connection
  const test = useTestConnection(applicationId, connection.id)
  const update = useUpdateConnection(applicationId, connection.id)
  // A connection without models starts nothing: what the test finds is what was meant.
  const adopt = (found: string[]) => update.mutate({ models: found.slice(0, MODELS_MAX) })
  return (
    <li aria-label={name} className="rounded-card border border-line bg-surface shadow-lift">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 px-5 pt-4 pb-3">
        <div className="min-w-0">
          <h2 className="text-reading font-semibold wrap-anywhere">{name}</h2>
          <p className="font-mono text-[0.8125rem] break-all text-soft">{baseUrl}</p>
        </div>
        <div className="flex gap-2">
          <Button
            size="small"
            isBusy={test.isPending}
            disabledReason={disabledReason}
            aria-label={`Test ${name}`}
            onClick={() =>
              test.mutate(undefined, {
                onSuccess: (result) =>
                  result.ok && models.length === 0 && result.models.length > 0 && adopt(result.models),
              })
            }
          >
            Test
          </Button>
          <Button size="small" disabledReason={disabledReason} aria-label={`Edit ${name}`} onClick={on.onEdit}>
            Edit
          </Button>
          {!disabledReason && (
            <Menu
              trigger={
                <Button look="quiet" size="small" aria-label={`More for ${name}`}>
                  <MoreHorizontal aria-hidden className="size-4" />
                </Button>
              }
            >
              {hasKey && (
                <MenuItem className={menuItemClass} onSelect={on.onRemoveKey}>
                  Remove key…
                </MenuItem>
              )}
              <MenuItem className={`${menuItemClass} text-danger`} onSelect={on.onDelete}>
                Delete connection…
              </MenuItem>
            </Menu>
          )}
        </div>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-6 gap-y-1.5 border-t border-line px-5 py-3 text-data">
        <dt className="text-faint">API</dt>
        <dd className="text-soft">{providerOf(kind).label}</dd>
        <dt className="text-faint">Key</dt>
        <dd>
          {hasKey ? (
            <Badge tone="good">
              <KeyRound aria-hidden className="size-3" />
              set
            </Badge>
          ) : (
            <Badge>no key</Badge>
          )}
        </dd>
        <dt className="text-faint">Models</dt>
        <dd className="flex flex-wrap items-baseline gap-1.5">
          <ModelNames models={models} />
        </dd>
        <dt className="text-faint">Limits</dt>
        <dd className="text-soft tabular-nums">{describeLimits(concurrency, requestsPerMinute)}</dd>
      </dl>
      {/* Always there, so that the result is announced. */}
      <div role="status" className="empty:hidden [&:not(:empty)]:px-5 [&:not(:empty)]:pb-4">
        {test.data && !test.isPending && <ConnectionTestResult result={test.data} />}
      </div>
      {test.data?.ok && models.length > 0 && hasOthers(test.data.models, models) && (
        <div className="px-5 pb-4">
          <Button
            size="small"
            isBusy={update.isPending}
            onClick={() => adopt([...new Set([...models, ...test.data.models])])}
          >
            Use all of these models
          </Button>
        </div>
      )}
      <ErrorReport error={update.error} />
      {test.error && (
        <div className="px-5 pb-4">
          <ErrorReport error={test.error} />
        </div>
      )}
    </li>
  )
}

function ModelNames({ models }: { models: string[] }) {
  const [first, ...others] = models
  if (first === undefined) return <span className="text-soft">none; each judge must name its model</span>
  return (
    <>
      <code className={modelClass}>{first}</code>
      <span className="text-meta text-faint">default</span>
      {others.map((model) => (
        <code key={model} className={modelClass}>
          {model}
        </code>
      ))}
    </>
  )
}

function hasOthers(found: string[], models: string[]): boolean {
  return found.some((model) => !models.includes(model))
}

const modelClass = 'rounded bg-hover px-1.5 font-mono text-[0.8125rem] wrap-anywhere'

const NAMES_MAX = 12
/** As many as a connection may have. */
const MODELS_MAX = 200

function ConnectionTestResult({ result: { ok, summary, models } }: { result: ConnectionTest }) {
  const rest = models.length - NAMES_MAX
  return (
    <Notice tone={ok ? 'good' : 'danger'} title={ok ? 'It works' : 'It does not work'}>
      <p className="wrap-anywhere">{summary}.</p>
      {models.length > 0 && (
        <p className="mt-1 font-mono text-[0.8125rem] text-soft wrap-anywhere">
          {models.slice(0, NAMES_MAX).join(', ')}
          {rest > 0 && <span className="font-sans"> and {rest} more</span>}
        </p>
      )}
    </Notice>
  )
}
