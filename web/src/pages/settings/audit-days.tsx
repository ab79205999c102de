import type { AuditEvent } from '../../api/generated/api.ts'
import { AuditEntry } from './audit-entry.tsx'
import type { Names } from './describe-event.tsx'

const DAY_MS = 86_400_000

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' })

/** Events by the day of the reader's time zone. */
export function AuditDays({ events, names }: { events: AuditEvent[]; names: Names }) {
  const days = [...Map.groupBy(events, ({ createdAt }) => day.format(new Date(createdAt)))]
  return (
    <div className="@container flex flex-col gap-8">
      {days.map(([date, ofDay]) => (
        <section key={date} aria-label={titleOf(date)}>
          <h2 className="mb-2 text-data font-medium text-soft">{titleOf(date)}</h2>
          <ol className="divide-y divide-line rounded-card border border-line bg-surface shadow-lift">
            {ofDay.map((event) => (
              <AuditEntry key={event.id} event={event} names={names} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

function titleOf(date: string): string {
  if (date === day.format(Date.now())) return 'Today'
  return date === day.format(Date.now() - DAY_MS) ? 'Yesterday' : date
}
