import type { ColumnTypes } from '../dialect.ts'

/**
 * The verdict that a label needs before it moves, and what each of its changes rests on. A running older server moves labels without
 * asking for a verdict, and deletes datasets that a gate names.
 */
export function deployments({ uuid, real }: ColumnTypes): string[] {
  return [
    `alter table prompt_labels add column gate_dataset_id ${uuid}`,
    'alter table prompt_labels add column gate_metric text',
    `alter table prompt_labels add column gate_margin ${real}`,
    'alter table prompt_labels add column gate_max_age_days integer',
    'create index prompt_labels_by_gate on prompt_labels (workspace_id, gate_dataset_id) where gate_dataset_id is not null',
    'alter table prompt_label_changes add column evidence text',
  ]
}
