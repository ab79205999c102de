import { Client } from 'pg'

/**
 * Functions with the names of those of Citus, which record their calls and reject what Citus rejects: foreign keys of a table that is being
 * placed, and unique indexes without the column by which it is distributed. Waits for advisory lock 1 before it places `stopAt`.
 */
export async function installCitusStandIn(url: string, { version = '13.0.4', stopAt = '' } = {}): Promise<void> {
  await runSql(
    url,
    `create schema stand_in;
    create table stand_in.calls (position serial, call text);
    create table pg_dist_partition (logicalrelid regclass primary key, partmethod "char", repmodel "char");
    create table pg_dist_node (groupid integer);
    insert into pg_dist_node values (0);
    create function citus_version() returns text language sql as $$ select 'Citus ${version} on a stand-in' $$;

    create function stand_in.place(relation regclass, method "char", model "char", call text) returns void language plpgsql as $$
    begin
      if relation::text = '${stopAt}' then perform pg_advisory_xact_lock(1); end if;
      if exists (select 1 from pg_constraint where contype = 'f' and relation in (conrelid, confrelid)) then
        raise exception 'the table % has foreign keys', relation; end if;
      if method = 'h' and exists (select 1 from pg_index as i where i.indrelid = relation and i.indisunique and not exists (
        select 1 from pg_attribute as a where a.attrelid = relation and a.attnum = any (i.indkey) and a.attname = 'workspace_id')) then
        raise exception 'the table % has a unique index without the workspace', relation; end if;
      insert into pg_dist_partition values (relation, method, model);
      insert into stand_in.calls (call) values (call);
    end $$;
    create function create_reference_table(relation regclass) returns void language sql as
      $$ select stand_in.place(relation, 'n', 't', 'every node: ' || relation) $$;
    create function create_distributed_table(relation regclass, distribution_column text, colocate_with text) returns void
      language sql as $$ select stand_in.place(relation, 'h', 's',
        'by ' || distribution_column || ' with ' || colocate_with || ': ' || relation) $$;
    create function undistribute_table(relation regclass) returns void language plpgsql as $$
    begin
      if exists (select 1 from pg_constraint where contype = 'f' and relation in (conrelid, confrelid)) then
        raise exception 'the table % has foreign keys', relation; end if;
      delete from pg_dist_partition where logicalrelid = relation;
      insert into stand_in.calls (call) values ('coordinator: ' || relation);
    end $$;
    create function truncate_local_data_after_distributing_table(relation regclass) returns void language plpgsql as $$
    begin
      if not exists (select 1 from pg_dist_partition where logicalrelid = relation) then
        raise exception 'the table % is not placed', relation; end if;
      if exists (select 1 from pg_constraint where contype = 'f' and confrelid = relation) then
        raise exception 'the rows of tables that refer to % would be deleted', relation; end if;
      insert into stand_in.calls (call) values ('local rows: ' || relation);
    end $$`,
  )
}

export async function readCalls(url: string): Promise<string[]> {
  const { rows } = await runSql(url, 'select call from stand_in.calls order by position')
  return rows.map(({ call }) => String(call))
}

export async function readKeyDefinitions(url: string): Promise<string[]> {
  const { rows } = await runSql(
    url,
    `select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as key from pg_constraint
      where contype = 'f' order by 1`,
  )
  return rows.map(({ key }) => String(key))
}

export async function runSql(url: string, statements: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statements)
  } finally {
    await client.end()
  }
}
