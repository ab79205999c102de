import type { ReactNode } from 'react'
import type { AuditEvent } from '../../api/generated/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { IdLabel } from '../../ui/id-label.tsx'
import { actorOf, describeEvent, isUnnamed, meansOf, type Names } from './describe-event.tsx'

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long' })

export function AuditEntry({ event, names }: { event: AuditEvent; names: Names }) {
  const { action, count, createdAt, address, requestId } = event
  const time = new Date(createdAt)
  const means = meansOf(event)
  return (
    <li className="grid grid-cols-1 gap-x-5 gap-y-1 px-5 pt-3 pb-2 sm:grid-cols-[4.5rem_minmax(0,1fr)]">
      <time dateTime={createdAt} title={exact.format(time)} className="text-data text-faint tabular-nums sm:pt-px">
        {clock.format(time)}
      </time>
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <bdi className="font-semibold">{actorOf(event, names)}</bdi> {describeEvent(event, names)}
          {means && <span className="text-soft"> {means}</span>}
          {count > 1 && (
            <>
              {' '}
              <Badge>{count.toLocaleString('en')} times</Badge>
            </>
          )}
        </p>
        <dl className="flex flex-wrap items-center gap-x-5 text-data text-soft @3xl:grid @3xl:grid-cols-[minmax(0,1fr)_11rem_8.5rem_10rem] @3xl:gap-x-0">
          <div className="flex min-h-7 items-center">
            <dt className="sr-only">Action</dt>
            <dd className="font-mono text-meta wrap-anywhere text-faint">{action}</dd>
          </div>
          {isUnnamed(event, names) && (
            <Fact name="User" column="@3xl:col-start-2">
              <IdLabel id={event.actorId} label="Copy user id" />
            </Fact>
          )}
          <Resource event={event} />
          {address && (
            <Fact name="From" column="@3xl:col-start-3">
              <span className="wrap-anywhere">{address}</span>
            </Fact>
          )}
          {event.actorKind !== 'command-line' && (
            <Fact name="Request" column="@3xl:col-start-4">
              <IdLabel id={requestId} label="Copy request id" />
            </Fact>
          )}
        </dl>
      </div>
    </li>
  )
}

/** Other events name a request as their resource, which the description contains. */
function Resource({ event: { resourceId } }: { event: AuditEvent }) {
  if (!resourceId || !isId(resourceId)) return null
  return (
    <Fact name="Resource" column="@3xl:col-start-2">
      <IdLabel id={resourceId} label="Copy resource id" />
    </Fact>
  )
}

/** `column` aligns the facts of all entries on wide screens. */
function Fact({ name, column, children }: { name: string; column: string; children: ReactNode }) {
  return (
    <div className={`flex min-h-7 min-w-0 items-center gap-1.5 ${column}`}>
      <dt className="text-meta text-faint">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}

function isId(text: string): boolean {
  return /^[0-9a-f-]{36}$/i.test(text)
}
