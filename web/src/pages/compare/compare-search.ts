import type { RowFilter, SplitName } from '../../api/comparison-query.ts'
import { readId, readText, type Search } from '../../routes/search-params.ts'

export interface CompareSearch {
  /** The id of the baseline, and of up to ten candidates. */
  base: string | undefined
  cand: string[] | undefined
  metric: string | undefined
  filter: RowFilter | undefined
  /** The row in view: an item, with the number of its pair if it has several, or a trace. */
  item: string | undefined
  split: SplitName | undefined
  /** A number of at least 0, as text. */
  margin: string | undefined
  /** Prefer one of two answers without knowing whose they are. */
  mode: 'blind' | undefined
}

const candidatesMax = 10

export function readCompare(search: Search): CompareSearch {
  const given = Array.isArray(search['cand']) ? search['cand'] : [search['cand']]
  const cand = [...new Set(given.flatMap((id) => readId(id) ?? []))].slice(0, candidatesMax)
  const margin = readText(search['margin'])
  return {
    base: readId(search['base']),
    cand: cand.length > 0 ? cand : undefined,
    metric: readText(search['metric']),
    filter: rowFilters.find((filter) => filter === search['filter']),
    item: readText(search['item']),
    split: splitNames.find((split) => split === search['split']),
    margin: margin && /^(0|[1-9]\d{0,8})(\.\d{1,9})?$/.test(margin) ? margin : undefined,
    mode: search['mode'] === 'blind' ? 'blind' : undefined,
  }
}

export const rowFilters: readonly RowFilter[] = [
  'regressed',
  'improved',
  'tie',
  'failed',
  'not_measured',
  'only_baseline',
  'only_candidate',
]

export const splitNames: readonly SplitName[] = ['train', 'validation', 'test']
