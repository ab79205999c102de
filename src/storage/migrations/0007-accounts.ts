import type { ColumnTypes } from '../dialect.ts'

/**
 * Disabled accounts, roles of keys, revoked keys, password resets, and details in the audit log.
 *
 * A running older server goes on: it creates keys with the default role, which is what every key could do before, and writes
 * audit events without details. It does not know disabled accounts, so disable one only when every server is up to date.
 */
export function accounts({ uuid, timestamp, clustered }: ColumnTypes): string[] {
  return [
    `alter table users add column disabled_at ${timestamp}`,
    `alter table api_keys add column role text not null default 'editor'`,
    'alter table audit_events add column detail text',
    // One link per user: a new one replaces the former.
    `create table password_resets (
      user_id ${uuid} not null primary key references users (id) on delete cascade,
      token_hash text not null unique,
      created_at ${timestamp} not null,
      expires_at ${timestamp} not null
    )`,
    `create table revoked_api_keys (
      workspace_id ${uuid} not null references workspaces (id),
      key_hash text not null,
      primary key (workspace_id, key_hash)
    ) ${clustered}`,
    // Keys of former members did not work, but would have worked again with their creators' return.
    `insert into revoked_api_keys (workspace_id, key_hash) select workspace_id, key_hash from api_keys where ${OF_FORMER_MEMBER}`,
    `delete from api_keys where ${OF_FORMER_MEMBER}`,
  ]
}

const OF_FORMER_MEMBER = `not exists (select 1 from members
  where members.workspace_id = api_keys.workspace_id and members.user_id = api_keys.created_by)`
