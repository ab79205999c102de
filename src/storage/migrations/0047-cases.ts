import type { ColumnTypes } from '../dialect.ts'

/**
 * A whole number for each item of a dataset, which is never used again, and what else the paths of the original service need: the index that
 * a client has given a case, and the form in which it has sent the expected value; experiments that are described before they are planned,
 * with their evaluators. A running older server adds items without a number; they get one when the cases of their dataset are listed.
 * Writers of items wait for seconds per million items.
 */
export function cases({ uuid, timestamp, real, clustered }: ColumnTypes): string[] {
  return [
    'alter table datasets add column last_case_number integer not null default 0',
    'alter table dataset_items add column case_number integer',
    'alter table dataset_items add column case_index integer',
    'alter table dataset_items add column case_form integer',
    `update dataset_items set case_number = numbered.number
      from (select workspace_id, dataset_id, id,
          row_number() over (partition by workspace_id, dataset_id order by id) as number from dataset_items) numbered
      where numbered.workspace_id = dataset_items.workspace_id and numbered.dataset_id = dataset_items.dataset_id
        and numbered.id = dataset_items.id`,
    `update datasets set last_case_number = coalesce((select max(case_number) from dataset_items
      where dataset_items.workspace_id = datasets.workspace_id and dataset_items.dataset_id = datasets.id), 0)`,
    'create index dataset_items_by_case on dataset_items (workspace_id, dataset_id, case_number)',

    `create table experiment_settings (
      workspace_id ${uuid} not null,
      experiment_id ${uuid} not null,
      settings text not null,
      primary key (workspace_id, experiment_id),
      foreign key (workspace_id, experiment_id) references experiments (workspace_id, id)
    )`,
    `create table experiment_evaluators (
      workspace_id ${uuid} not null,
      experiment_id ${uuid} not null,
      id ${uuid} not null,
      name text not null,
      description text,
      type text not null,
      weight ${real} not null,
      scale_min ${real} not null,
      scale_max ${real} not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      config text,
      primary key (workspace_id, experiment_id, id),
      foreign key (workspace_id, experiment_id) references experiments (workspace_id, id)
    ) ${clustered}`,
  ]
}
