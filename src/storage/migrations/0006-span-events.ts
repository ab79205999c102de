import type { ColumnTypes } from '../dialect.ts'

/**
 * Events that came before their span, what is needed to map a span again, and by which mapping a trace was understood. Adds a table
 * and columns only: a running older server does not see them, and what it writes meanwhile has the defaults.
 */
export function spanEvents({ uuid, timestamp, sequence }: ColumnTypes): string[] {
  return [
    // `trace_id` is the sender's name of the trace, which may not have begun yet. In the order of `position`, as they came.
    `create table pending_span_events (
      position ${sequence},
      workspace_id ${uuid} not null references workspaces (id),
      trace_id text not null,
      span_id text not null,
      hash text not null,
      event text not null,
      bytes integer not null,
      received_at ${timestamp} not null,
      unique (workspace_id, trace_id, span_id, hash)
    )`,
    'create index pending_span_events_by_age on pending_span_events (workspace_id, position, bytes)',
    'create index pending_span_events_by_time on pending_span_events (received_at)',

    // What the sender said, where the mapping says something else.
    'alter table spans add column sent_status text',
    'alter table spans add column sent_status_message text',

    // 0: by an earlier program, which did not note it.
    'alter table traces add column mapping_version integer not null default 0',
  ]
}
