import type { ColumnTypes } from '../dialect.ts'

/**
 * What a device asked for, and the key that it gets after the approval. Adds columns only: a running older server ignores them, and its
 * approvals, which name no workspace, are not redeemed by a newer one.
 */
export function deviceKeys({ uuid }: ColumnTypes): string[] {
  return [
    'alter table device_codes add column device_name text',
    'alter table device_codes add column address text',
    `alter table device_codes add column workspace_id ${uuid} references workspaces (id) on delete cascade`,
    'alter table device_codes add column role text',
  ]
}
