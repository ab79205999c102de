/** A window of a list, as asked for by `limit` and `offset`. */
export type Page = { limit: number; offset: number }
