import { badRequest } from '../../base/errors.ts'
import { readBoolean, readNames } from '../../http/query-values.ts'
import { SCORE_STATES } from '../../scores/list-scores.ts'
import { CASE_SORTS, readCaseCursor } from './case-cursor.ts'
import { CASES_DEFAULT, CASES_MAX } from './case-schemas.ts'
import type { CaseListRequest } from './read-cases.ts'

type CaseQueryTexts = Partial<
  Record<'metric' | 'states' | 'passed' | 'error' | 'sort' | 'case' | 'limit' | 'cursor', string | undefined>
>

export function readCaseQuery(query: CaseQueryTexts): Omit<CaseListRequest, 'withheld'> & { case: string | undefined } {
  // No text contains U+0000, and not every engine accepts it in a query.
  for (const name of ['metric', 'error', 'case'] as const) {
    if (query[name]?.includes('\0'))
      throw badRequest(`The query parameter ${name} must not contain the character U+0000`)
  }
  const { case: one, limit, cursor, ...filter } = query
  if (one !== undefined && [cursor, ...Object.values(filter)].some((text) => text !== undefined))
    throw badRequest('The query parameter case cannot be combined with others')
  const sort = readSort(filter)
  return {
    case: one,
    evaluator: filter.metric,
    states: filter.states === undefined ? undefined : readNames('states', filter.states, SCORE_STATES),
    passed: filter.passed === undefined ? undefined : readBoolean('passed', filter.passed),
    error: filter.error,
    sort,
    after: cursor === undefined ? undefined : readCaseCursor(cursor, sort),
    limit: readLimit(limit),
  }
}

function readSort({ sort: text, metric, error }: CaseQueryTexts) {
  if (text === undefined) return undefined
  const sort = CASE_SORTS.find((known) => known === text)
  if (!sort) throw badRequest(`The query parameter sort must be one of ${CASE_SORTS.join(', ')}`)
  if (metric === undefined) throw badRequest('The query parameter sort needs the query parameter metric')
  if (error !== undefined) throw badRequest('The query parameter sort cannot be combined with error')
  return sort
}

function readLimit(text = `${CASES_DEFAULT}`): number {
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= CASES_MAX)) throw badRequest(`The query parameter limit must be a whole number from 1 to ${CASES_MAX}`)
  return limit
}
