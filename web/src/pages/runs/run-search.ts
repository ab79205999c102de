import type { CaseFilter, CaseSort } from '../../api/runs-query.ts'
import { readText, type Search } from '../../routes/search-params.ts'
import { type AgreementSearch, readAgreement } from '../agreement/agreement-search.ts'

export interface RunSearch extends AgreementSearch {
  tab: (typeof runTabs)[number] | undefined
  /** Which cases are listed, and in which order. */
  q: string | undefined
  filter: CaseFilter | undefined
  metric: string | undefined
  sort: CaseSort | undefined
  /** The trace in the panel, if the case has repetitions. */
  trace: string | undefined
}

export function readRun(search: Search): RunSearch {
  return {
    tab: runTabs.find((tab) => tab === search['tab']),
    q: readText(search['q']),
    filter: caseFilters.find((filter) => filter === search['filter']),
    metric: readText(search['metric']),
    sort: caseSorts.find((sort) => sort === search['sort']),
    trace: readText(search['trace']),
    ...readAgreement(search),
  }
}

const runTabs = ['cases', 'ratings', 'agreement'] as const

export const caseFilters: readonly CaseFilter[] = [
  'not_passed',
  'passed',
  'not_measured',
  'failed',
  'rated',
  'unrated',
  'not_arrived',
  'without_item',
]

const caseSorts: readonly CaseSort[] = ['item', 'duration', '-duration', 'cost', '-cost', 'score', '-score']
