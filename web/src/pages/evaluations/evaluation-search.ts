import { readText, type Search } from '../../routes/search-params.ts'

/** Which cases of an evaluation are listed, and the case in the panel next to the list. */
export interface EvaluationSearch {
  /** The name of an evaluator. */
  metric: string | undefined
  state: CaseState | undefined
  /** Why there is no score, as a group of failures has it. */
  error: string | undefined
  sort: 'score' | '-score' | undefined
  /** The id of a case. */
  score: string | undefined
}

const caseStates = ['passed', 'not_passed', 'failed', 'skipped', 'retrying', 'waiting'] as const

export type CaseState = (typeof caseStates)[number]

export function readEvaluation(search: Search): EvaluationSearch {
  return {
    metric: readText(search['metric']),
    state: caseStates.find((state) => state === search['state']),
    error: readText(search['error'])?.slice(0, 500),
    sort: (['score', '-score'] as const).find((sort) => sort === search['sort']),
    score: readText(search['score'])?.slice(0, 128),
  }
}
