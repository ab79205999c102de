import type { ColumnTypes } from '../dialect.ts'

/**
 * Who has added and changed items, and an index of scores by item. Adds columns and an
 * index only: a running older server ignores them, and its changes have no author.
 */
export function itemHistory({ uuid, timestamp }: ColumnTypes): string[] {
  return [
    `alter table datasets add column changed_at ${timestamp}`,
    `alter table datasets add column changed_by ${uuid}`,
    `alter table dataset_items add column created_by ${uuid}`,
    `alter table dataset_items add column changed_at ${timestamp}`,
    `alter table dataset_items add column changed_by ${uuid}`,
    // Finds the scores of a page of items without reading all scores of the evaluation.
    `create index evaluation_scores_of_item on evaluation_scores (workspace_id, evaluation_id, item_id)
      where item_id is not null`,
  ]
}
