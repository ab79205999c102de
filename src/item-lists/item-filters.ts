import type { Split } from '../datasets/splits/split.ts'

/** What can be wrong with the items of a dataset. Each is counted by the health of the dataset, and is a filter of its items. */
export const HEALTH_CHECKS = [
  'duplicates',
  'near_duplicates',
  'conflicts',
  'without_expected',
  'never_run',
  'test_read',
] as const

/** What the newest evaluated run says about an item, alone or compared with the run before. */
const RESULT_FILTERS = ['turned_to_fail', 'turned_to_pass', 'failing'] as const

export const ITEM_FILTERS = [...HEALTH_CHECKS, ...RESULT_FILTERS] as const
export const ITEM_SOURCES = ['trace', 'import', 'hand'] as const
export const ITEM_SORTS = ['newest', 'oldest', 'turned'] as const

export type HealthCheck = (typeof HEALTH_CHECKS)[number]
export type ItemFilter = (typeof ITEM_FILTERS)[number]
export type ItemSource = (typeof ITEM_SOURCES)[number]
export type ItemSort = (typeof ITEM_SORTS)[number]

/** Which items of a dataset; all of them without any. */
export type ItemSelection = {
  q?: string | undefined
  split?: Split | 'none' | undefined
  source?: ItemSource | undefined
  filter?: ItemFilter | undefined
}
