import type { ColumnTypes } from '../dialect.ts'

/**
 * What pages about people need: who revoked a key, former members, preferences, saved views and example data.
 *
 * A running older server goes on: it revokes keys without noting by whom, and removes members without noting that they were members.
 * Those names are then missing in the directory, so stop it first, as with every upgrade.
 */
export function people({ uuid, timestamp, clustered }: ColumnTypes): string[] {
  return [
    'alter table revoked_api_keys add column name text',
    `alter table revoked_api_keys add column created_by ${uuid}`,
    `alter table revoked_api_keys add column revoked_by ${uuid}`,
    `alter table revoked_api_keys add column revoked_at ${timestamp}`,
    // A rejected key is looked up by its hash alone.
    'create index revoked_api_keys_by_hash on revoked_api_keys (key_hash)',

    `create table former_members (
      workspace_id ${uuid} not null references workspaces (id),
      user_id ${uuid} not null references users (id) on delete cascade,
      left_at ${timestamp} not null,
      primary key (workspace_id, user_id)
    ) ${clustered}`,
    `insert into former_members (workspace_id, user_id, left_at)
      select e.workspace_id, u.id, max(e.created_at) from audit_events as e
      join users as u on cast(u.id as text) = e.resource_id
      join workspaces as w on w.id = e.workspace_id
      where e.action in ('member.left', 'member.removed') and not exists (select 1 from members as m
        where m.workspace_id = e.workspace_id and m.user_id = u.id)
      group by e.workspace_id, u.id`,

    // Authors whose leaving was not recorded.
    `insert into former_members (workspace_id, user_id, left_at)
      select a.workspace_id, a.user_id, max(a.updated_at) from annotations as a
      join users as u on u.id = a.user_id
      join workspaces as w on w.id = a.workspace_id
      where not exists (select 1 from members as m where m.workspace_id = a.workspace_id and m.user_id = a.user_id)
        and not exists (select 1 from former_members as f where f.workspace_id = a.workspace_id and f.user_id = a.user_id)
      group by a.workspace_id, a.user_id`,

    `create table user_preferences (
      user_id ${uuid} not null primary key references users (id) on delete cascade,
      preferences text not null,
      updated_at ${timestamp} not null
    )`,

    `create table saved_views (
      workspace_id ${uuid} not null references workspaces (id),
      id ${uuid} not null,
      user_id ${uuid} not null,
      name text not null,
      query text not null,
      sort text,
      columns text not null,
      is_shared integer not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      primary key (workspace_id, id)
    ) ${clustered}`,

    // One set of example data per application. Its parts are listed, so that removing it removes nothing else.
    `create table example_data (
      workspace_id ${uuid} not null primary key references workspaces (id),
      component_id ${uuid} not null,
      contents text not null,
      created_by ${uuid} not null,
      created_at ${timestamp} not null
    ) ${clustered}`,
    // Users without a password, who are members of nothing.
    `create table example_authors (
      workspace_id ${uuid} not null references workspaces (id),
      user_id ${uuid} not null references users (id) on delete cascade,
      primary key (workspace_id, user_id)
    ) ${clustered}`,
  ]
}
