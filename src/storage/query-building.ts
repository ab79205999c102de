/**
 * Two ways to build a query. `selectScoped(q, 'runs', { workspace_id: workspaceId, id: runId })` begins one of the rows of a table that
 * have these values; the types require the workspace, which no query must forget. `prepared` builds one only once.
 */
import {
  type Compilable,
  type CompiledQuery,
  type DeleteQueryBuilder,
  type DeleteResult,
  type RawBuilder,
  type SelectQueryBuilder,
  type SelectType,
  type SqlBool,
  sql,
  type UpdateQueryBuilder,
  type UpdateResult,
} from 'kysely'
import type { Queries } from './db.ts'
import { listParameter } from './dialect.ts'
import { pooledStatements } from './postgres/connection.ts'
import { directConnection } from './sqlite/connection.ts'
import type { Tables } from './tables.ts'

type ScopedTable = { [T in keyof Tables]: Tables[T] extends { workspace_id: string } ? T : never }[keyof Tables]

/** The workspace, and values of other columns. Null only for `deleted_at`: elsewhere it would be a forgotten case of a variable. */
type Scope<T extends ScopedTable> = { workspace_id: string } & {
  [Column in keyof Tables[T]]?: Column extends 'deleted_at' ? null : NonNullable<SelectType<Tables[T][Column]>>
}

// For the name of a table without an alias, what the query builder returns is the type that each function declares. The compiler finds
// that out only for a name that it knows.

export function selectScoped<T extends ScopedTable>(q: Queries, table: T, scope: Scope<T>) {
  const rows = q.selectFrom(table) as unknown as SelectQueryBuilder<Tables, T, object>
  return rows.where(isIn(scope))
}

export function updateScoped<T extends ScopedTable>(tx: Queries, table: T, scope: Scope<T>) {
  const rows = tx.updateTable(table) as unknown as UpdateQueryBuilder<Tables, T, T, UpdateResult>
  return rows.where(isIn(scope))
}

export function deleteScoped<T extends ScopedTable>(tx: Queries, table: T, scope: Scope<T>) {
  const rows = tx.deleteFrom(table) as unknown as DeleteQueryBuilder<Tables, T, DeleteResult>
  return rows.where(isIn(scope))
}

function isIn(scope: object): RawBuilder<SqlBool> {
  const conditions = Object.entries(scope).map(([column, value]) =>
    value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`,
  )
  return sql.join(conditions, sql` and `)
}

/** A placeholder for a value that is known only when the query runs. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Creates a placeholder in a query; it has the value's type, so that the query builder checks its use. */
export type Placeholder<Arguments> = <Name extends keyof Arguments & string>(name: Name) => Arguments[Name]

type Values = Record<string, string | number | null | readonly string[]>

/**
 * A query that is built and compiled once and then only filled in. Building costs more than running for the look-ups that
 * every request makes; only they are declared with this.
 *
 *     const findName = prepared<{ id: string }>()((q, value) => q.selectFrom('users').select('name').where('id', '=', value('id')))
 */
export function prepared<Arguments extends Values>() {
  return <Row>(
    build: (q: Queries, value: Placeholder<Arguments>) => Compilable<Row>,
  ): ((q: Queries, values: Arguments) => Promise<Row[]>) => {
    // One text per engine; all handles of an engine compile alike.
    const compiled = new Map<unknown, CompiledQuery<Row>>()
    return async (q, values) => {
      const engine = q.getExecutor().adapter.constructor
      let query = compiled.get(engine)
      if (!query) {
        query = build(q, placeholder).compile()
        compiled.set(engine, query)
      }
      const given: Values = values
      const parameters = query.parameters.map((value) => {
        if (!(value instanceof Slot)) return value
        const parameter = given[value.name]
        return Array.isArray(parameter) ? listParameter(q, parameter) : parameter
      })
      // An embedded database responds synchronously: the overhead of the query builder would cost more than most of these queries.
      const connection = directConnection(q)
      if (connection) return connection.execute<Row>({ sql: query.sql, parameters }).rows
      const pooled = pooledStatements(q)
      if (pooled) return pooled.run<Row>({ sql: query.sql, parameters })
      const { rows } = await q.executeQuery<Row>({ ...query, parameters })
      return rows
    }
  }
}

/** Has the type of the value that replaces it when the query runs. */
function placeholder<Value>(name: string): Value {
  return new Slot(name) as Value
}
