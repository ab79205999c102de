/** A window of a list, as asked for by `limit` and `offset`. */
export type Page = { limit: number; offset: number }

/** How much of a list there is: in this page, and altogether. `total` is exact, or undefined where counting would cost too much. */
export type Extent = { count: number; total: number | undefined }

/** A page of a list. */
export type Listing<Row = unknown> = Extent & { rows: Row[] }

/** What the page itself says of the whole: all of it, if the list ends in this page. */
export function totalIfLast({ limit, offset }: Page, count: number): number | undefined {
  return count < limit && (count > 0 || offset === 0) ? offset + count : undefined
}

/** A page of what is at hand as a whole. */
export function pageOf<Row>(all: readonly Row[], { limit, offset }: Page): Listing<Row> {
  const rows = all.slice(offset, offset + limit)
  return { rows, count: rows.length, total: all.length }
}
