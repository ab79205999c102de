import { badRequest } from '../../base/errors.ts'
import { ok, route } from '../../http/route.ts'
import { RunParams } from '../../runs/run-schemas.ts'
import { readPageLimit } from '../keyset-page.ts'
import { CASE_FILTERS, CASE_SORTS } from './group-cases.ts'
import { readRunCases } from './read-run-cases.ts'
import { RunCases, RunCasesQuery } from './run-case-schemas.ts'

export const getRunCases = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/cases',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'List the cases of a run with texts, scores and ratings; repetitions of an item are one row',
  tag: 'Runs',
  params: RunParams,
  query: RunCasesQuery,
  responses: { 200: RunCases },
  isCancellable: true,
  handle: async ({ principal, params, query, ...context }) => {
    const request = {
      ...params,
      q: query.q,
      metric: query.metric,
      cursor: query.cursor,
      limit: readPageLimit(query.limit),
      filter: readWord('filter', query.filter, CASE_FILTERS),
      sort: readWord('sort', query.sort, CASE_SORTS) ?? 'item',
    }
    return ok(await readRunCases(context, principal, request))
  },
})

function readWord<Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const word = words.find((known) => known === text)
  if (text !== undefined && word === undefined)
    throw badRequest(`The query parameter ${name} must be one of ${words.join(', ')}`)
  return word
}
