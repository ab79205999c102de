/** One page of a list. There may be a next page only if this one is full. */
export type Page<Item> = { data: Item[] }
