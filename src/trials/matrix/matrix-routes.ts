import { badRequest } from '../../base/errors.ts'
import { cursorOf, isNumber, readLimit, readNumber } from '../../http/query-parameters.ts'
import { ok, route } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { previewOf } from '../../traces/list-fields.ts'
import { findCallItems } from '../calls/call-item-queries.ts'
import { readTracesOfCalls } from '../calls/traces-of-calls.ts'
import { requireTrial, type TrialRow } from '../trial-queries.ts'
import { TrialParams } from '../trial-schemas.ts'
import { listVariants, type Variant } from '../variant-queries.ts'
import {
  countMatrixItems,
  findMatrixScores,
  listMatrixCalls,
  listMatrixItems,
  MATRIX_FILTERS,
  type MatrixFilter,
  type MatrixScope,
} from './matrix-queries.ts'
import { ITEMS_PAGE, MATRIX_FORMATS, MatrixQuery, TrialMatrix } from './matrix-schemas.ts'
import { openMatrix } from './open-matrix.ts'
import { readCompact } from './read-compact.ts'

const cursors = cursorOf({ place: isNumber })

export const getTrialMatrix = route({
  method: 'GET',
  path: '/components/:componentId/trials/:trialId/matrix',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get the items of a trial with the state and the score of each call, or the states of all calls as one text',
  tag: 'Trials',
  params: TrialParams,
  query: MatrixQuery,
  responses: { 200: TrialMatrix },
  isCancellable: true,
  handle: async ({ db, principal, params, query, signal }) => {
    const { workspaceId } = principal
    const filter = oneOf('filter', query.filter ?? 'all', MATRIX_FILTERS)
    const format = oneOf('format', query.format ?? 'items', MATRIX_FORMATS)
    const limit = readLimit(query.limit, ITEMS_PAGE)
    const after =
      cursors.read(query.cursor, filter)?.place ?? readNumber('from', query.from ?? '1', { minimum: 1, example: 1 }) - 2
    const q = db.bulk({ application: workspaceId, signal, from: 'request' })
    const trial = await requireTrial(q, { workspaceId, ...params })
    const variants = await listVariants(q, { workspaceId, trialId: trial.id })
    const { variant, candidate } = query
    const { metric, scale, scope, ...pair } = await openMatrix(q, principal, { trial, variants, variant, candidate })
    const empty = { metric, scale, ...pair, data: [], nextCursor: null, counts: null, compact: null }
    if (format === 'compact') return ok({ ...empty, compact: await readCompact(q, scope, { trial, scale, ...pair }) })
    const found = await listMatrixItems(q, scope, { filter, after, limit })
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const counts = query.cursor === undefined ? await countMatrixItems(q, scope) : null
    return ok({
      ...empty,
      data: await readItems(q, scope, { trial, variants, page }),
      nextCursor: last ? cursors.write({ place: last.place }, filter) : null,
      counts: counts && describeCounts(counts, scope),
    })
  },
})

function oneOf<Name extends string>(parameter: string, given: string, known: readonly Name[]): Name {
  const found = known.find((name) => name === given)
  if (found !== undefined) return found
  throw badRequest(`The query parameter ${parameter} must be one of ${known.join(', ')}`)
}

/** Without scores nothing differs, and without a pair nothing is better: no count says so. */
function describeCounts(counts: Record<MatrixFilter, number>, { scored }: MatrixScope) {
  const { worse, better, same, unscored, differ, flips, ...states } = counts
  const compared = scored?.pair ? { worse, better, same, unscored } : NOT_COMPARED
  return { ...states, ...compared, differ: scored ? differ : null, flips: scored ? flips : null }
}

const NOT_COMPARED = { worse: null, better: null, same: null, unscored: null }

type Page = {
  trial: TrialRow
  variants: readonly Variant[]
  page: readonly { place: number; itemId: string; change: number | null }[]
}

async function readItems(q: Queries, scope: MatrixScope, { trial, variants, page }: Page) {
  const { workspaceId, scored } = scope
  const itemIds = page.map(({ itemId }) => itemId)
  const calls = await listMatrixCalls(
    q,
    scope,
    page.map(({ place }) => place),
  )
  const items = await findCallItems(q, { workspaceId, datasetId: trial.datasetId }, itemIds)
  const scores = scored ? await findMatrixScores(q, workspaceId, scored, itemIds) : new Map<string, number>()
  const traceOf = await readTracesOfCalls(q, trial, { variants, calls })
  const byItem = Map.groupBy(calls, ({ itemId }) => itemId)
  return page.map(({ itemId, place, change }) => ({
    itemId,
    number: place + 1,
    change:
      change === null ? null : change > 0 ? ('better' as const) : change < 0 ? ('worse' as const) : ('same' as const),
    preview: previewOf(items.get(itemId)?.input ?? null),
    calls: (byItem.get(itemId) ?? []).map((call) => {
      const { number, variant, repetition, state } = call
      const traceId = traceOf(call)
      return {
        callId: number,
        variant: variants.find((one) => one.number === variant)?.name ?? '',
        repetition,
        state,
        score: traceId === null ? null : (scores.get(traceId.toLowerCase()) ?? null),
        traceId,
      }
    }),
  }))
}
