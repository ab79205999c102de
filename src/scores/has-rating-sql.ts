import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Whether an annotation rates: one that only comments does not, and neither does an empty rating. Written with constants, as the
 * index of raters is, or the engines would not use it.
 */
export function hasRating(table: string): RawBuilder<SqlBool> {
  const rating = sql.ref(`${table}.rating`)
  return sql<SqlBool>`(${rating} is not null and ${rating} <> '')`
}
