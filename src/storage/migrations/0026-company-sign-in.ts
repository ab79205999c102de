import type { ColumnTypes } from '../dialect.ts'

/**
 * What a device asked for and the key that it gets after the approval, and at most one account per identity of a provider. Adds columns and
 * an index only: a running older server ignores them, and its approvals, which name no workspace, are not redeemed by a newer one.
 */
export function companySignIn({ uuid }: ColumnTypes): string[] {
  return [
    'alter table device_codes add column device_name text',
    'alter table device_codes add column address text',
    `alter table device_codes add column workspace_id ${uuid} references workspaces (id) on delete cascade`,
    'alter table device_codes add column role text',
    'create unique index accounts_by_provider on accounts (provider_id, account_id)',
  ]
}
