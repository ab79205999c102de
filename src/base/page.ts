/** A window of a list, from `limit` and `offset`. */
export type Page = { limit: number; offset: number }

/**
 * The number of rows in this page and in the whole list. `total` is exact, or undefined where counting would cost too
 * much.
 */
export type Extent = { count: number; total: number | undefined }

/** A page of a list. */
export type Listing<Row = unknown> = Extent & { rows: Row[] }

/** Returns the total if the list ends in this page; else undefined. */
export function totalIfLast({ limit, offset }: Page, count: number): number | undefined {
  return count < limit && (count > 0 || offset === 0) ? offset + count : undefined
}

/** Returns a page of a list that is in memory. */
export function pageOf<Row>(all: readonly Row[], { limit, offset }: Page): Listing<Row> {
  const rows = all.slice(offset, offset + limit)
  return { rows, count: rows.length, total: all.length }
}
