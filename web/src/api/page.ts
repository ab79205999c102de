/** One page of a list: the next one exists exactly if this one is full. */
export type Page<Item> = { data: Item[] }
