/**
 * How often something happened that is recorded once a minute, such as a rejected sign-in. A running older server does not know the
 * column, and writes events that count once.
 */
export function auditCounts(): string[] {
  return ['alter table audit_events add column count integer not null default 1']
}
