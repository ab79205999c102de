import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { queriesOn } from '../../src/storage/sqlite/connection.ts'

const queries = queriesOn(new Database(':memory:'))

test('a list is not planned again for each value of its limit, which SQLite does for a limit that is a parameter', () => {
  const { sql: text, parameters } = queries.selectFrom('users').select('id').limit(5).offset(2).compile()
  expect(text).toBe('select "id" from "users" limit cast(? as integer) offset ?')
  expect(parameters).toEqual([5, 2])
})

test('a limit that is written into the statement does not change', () => {
  expect(queries.selectFrom('users').select('id').limit(sql.lit(5)).compile().sql).toBe(
    'select "id" from "users" limit 5',
  )
})
