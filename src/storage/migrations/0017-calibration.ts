import type { ColumnTypes } from '../dialect.ts'

/**
 * The traces that the annotation queue drew at random with the probability of each draw, and the verdicts of judges on
 * anchors. Adds tables only: a running older server does not see them. It cannot purge a run or an evaluation that has
 * such rows; the purge is tried again, and the newer server completes it.
 */
export function calibration({ uuid, timestamp, real, clustered }: ColumnTypes): string[] {
  return [
    `create table annotation_draws (
      workspace_id ${uuid} not null,
      run_id ${uuid} not null,
      trace_ref text not null,
      probability ${real} not null,
      pool integer not null,
      drawn_at ${timestamp} not null,
      primary key (workspace_id, run_id, trace_ref),
      foreign key (workspace_id, run_id) references runs (workspace_id, id)
    ) ${clustered}`,

    `create table anchor_verdicts (
      workspace_id ${uuid} not null,
      dataset_id ${uuid} not null,
      judge text not null,
      evaluation_id ${uuid} not null,
      item_id ${uuid} not null,
      passed integer not null,
      is_good integer,
      created_at ${timestamp} not null,
      primary key (workspace_id, dataset_id, judge, evaluation_id, item_id),
      foreign key (workspace_id, evaluation_id) references evaluations (workspace_id, id)
    ) ${clustered}`,
    'create index anchor_verdicts_of_evaluation on anchor_verdicts (workspace_id, evaluation_id)',
  ]
}
