import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * True if an annotation has a rating that is not empty. Written with constants like the partial index on raters;
 * otherwise the engines would not use that index.
 */
export function hasRating(table: string): RawBuilder<SqlBool> {
  const rating = sql.ref(`${table}.rating`)
  return sql<SqlBool>`(${rating} is not null and ${rating} <> '')`
}
