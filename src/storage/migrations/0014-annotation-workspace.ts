import type { ColumnTypes } from '../dialect.ts'

/**
 * The annotation workspace: skipped traces, undo, corrected outputs, annotations and comments of traces outside of runs, and resolved
 * disagreements. Adds tables and a column only: a running older server does not see them. It deletes traces as before, because the rows of
 * a trace are deleted with it.
 */
export function annotationWorkspace({ uuid, timestamp, clustered }: ColumnTypes): string[] {
  return [
    'alter table annotations add column corrected_output text',

    `create table annotation_changes (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      run_id ${uuid} not null,
      user_id ${uuid} not null,
      trace_ref text not null,
      former text,
      created_at ${timestamp} not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, run_id) references runs (workspace_id, id)
    )`,
    'create index annotation_changes_of_rater on annotation_changes (workspace_id, run_id, user_id, id)',
    'create index annotation_changes_by_age on annotation_changes (created_at)',

    `create table annotation_skips (
      workspace_id ${uuid} not null,
      run_id ${uuid} not null,
      user_id ${uuid} not null,
      trace_ref text not null,
      skipped_at ${timestamp} not null,
      primary key (workspace_id, run_id, user_id, trace_ref),
      foreign key (workspace_id, run_id) references runs (workspace_id, id)
    ) ${clustered}`,

    `create table trace_annotations (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      trace_id ${uuid} not null,
      user_id ${uuid} not null,
      rating text,
      comment text,
      corrected_output text,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      primary key (workspace_id, id),
      unique (workspace_id, trace_id, user_id),
      foreign key (workspace_id, trace_id) references traces (workspace_id, id) on delete cascade
    )`,

    `create table trace_comments (
      workspace_id ${uuid} not null,
      trace_id ${uuid} not null,
      id ${uuid} not null,
      span_id text,
      user_id ${uuid} not null,
      body text not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      primary key (workspace_id, trace_id, id),
      foreign key (workspace_id, trace_id) references traces (workspace_id, id) on delete cascade
    )`,

    `create table disagreement_resolutions (
      workspace_id ${uuid} not null,
      run_id ${uuid} not null,
      trace_ref text not null,
      user_id ${uuid} not null,
      rating text not null,
      note text,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      primary key (workspace_id, run_id, trace_ref),
      foreign key (workspace_id, run_id) references runs (workspace_id, id)
    )`,
  ]
}
