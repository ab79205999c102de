import type { Compilable, CompiledQuery } from 'kysely'
import type { Queries } from './db.ts'
import { listParameter } from './dialect.ts'
import { pooledStatements } from './postgres/connection.ts'
import { directConnection } from './sqlite/connection.ts'

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
