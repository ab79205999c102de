import type { ItemRowsFilter } from '../../api/item-rows-query.ts'
import { readId, readText, type Search } from '../../routes/search-params.ts'

/** What the page of a dataset lists, and the item in the panel next to it. */
export interface DatasetSearch {
  q: string | undefined
  split: ItemRowsFilter['split'] | undefined
  source: ItemRowsFilter['source'] | undefined
  filter: ItemRowsFilter['filter'] | undefined
  sort: ItemRowsFilter['sort'] | undefined
  item: string | undefined
}

export function readDataset(search: Search): DatasetSearch {
  return {
    q: readText(search['q']),
    split: (['train', 'validation', 'test', 'none'] as const).find((split) => split === search['split']),
    source: (['trace', 'import', 'hand'] as const).find((source) => source === search['source']),
    filter: itemFilters.find((filter) => filter === search['filter']),
    sort: (['newest', 'oldest', 'turned'] as const).find((sort) => sort === search['sort']),
    item: readId(search['item']),
  }
}

const itemFilters = [
  'duplicates',
  'near_duplicates',
  'conflicts',
  'without_expected',
  'never_run',
  'test_read',
  'turned_to_fail',
  'turned_to_pass',
  'failing',
] as const
