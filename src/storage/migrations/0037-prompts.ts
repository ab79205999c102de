import type { ColumnTypes } from '../dialect.ts'

/**
 * Prompts of a component, their versions, and labels that point to versions, with the history of the labels. Adds tables only: a running
 * older server ignores them.
 */
export function prompts({ uuid, timestamp, clustered }: ColumnTypes): string[] {
  return [
    `create table prompts (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      component_id ${uuid} not null,
      name text not null,
      description text,
      last_number integer not null,
      label_changes integer not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      deleted_at ${timestamp},
      primary key (workspace_id, id),
      foreign key (workspace_id, component_id) references components (workspace_id, id)
    ) ${clustered}`,
    'create index prompts_by_component on prompts (workspace_id, component_id, id)',
    'create unique index prompts_by_name on prompts (workspace_id, component_id, name) where deleted_at is null',
    'create index prompts_by_update on prompts (workspace_id, updated_at)',

    // A deleted version keeps its row until its prompt is deleted: rolling a label back restores it. The content is the last column: an
    // embedded database reads through a large value to reach those after it, which lists of versions need.
    `create table prompt_versions (
      workspace_id ${uuid} not null,
      prompt_id ${uuid} not null,
      number integer not null,
      content_hash text not null,
      variables text not null,
      placeholders text not null,
      note text,
      source_kind text not null,
      source_id ${uuid},
      created_by ${uuid} not null,
      created_at ${timestamp} not null,
      deleted_at ${timestamp},
      content text not null,
      primary key (workspace_id, prompt_id, number),
      foreign key (workspace_id, prompt_id) references prompts (workspace_id, id)
    )`,
    'create index prompt_versions_by_hash on prompt_versions (workspace_id, prompt_id, content_hash)',

    // Without splits, the label serves nothing: it was deleted, or is only protected. Its row keeps the number of its last change.
    `create table prompt_labels (
      workspace_id ${uuid} not null,
      prompt_id ${uuid} not null,
      name text not null,
      change_number integer not null,
      seed integer not null,
      splits text,
      min_role text not null,
      changed_by ${uuid} not null,
      changed_at ${timestamp} not null,
      primary key (workspace_id, prompt_id, name),
      foreign key (workspace_id, prompt_id) references prompts (workspace_id, id)
    ) ${clustered}`,

    `create table prompt_label_changes (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      prompt_id ${uuid} not null,
      label text not null,
      number integer not null,
      kind text not null,
      undoes integer,
      before text,
      after text,
      note text,
      user_id ${uuid} not null,
      created_at ${timestamp} not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, prompt_id) references prompts (workspace_id, id)
    ) ${clustered}`,
    'create unique index prompt_label_changes_by_number on prompt_label_changes (workspace_id, prompt_id, label, number)',
    'create index prompt_label_changes_by_prompt on prompt_label_changes (workspace_id, prompt_id, id)',
  ]
}
