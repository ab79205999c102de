import { listBlindRuns } from '../../annotations/blind-annotation-queries.ts'
import { badRequest } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Principal } from '../../base/principal.ts'
import { isBlindAmong } from '../../evaluations/results/withhold-ratings.ts'
import { cursorOf, isNumber, readLimit } from '../../http/query-parameters.ts'
import { ok, route } from '../../http/route.ts'
import { humanRatingEvaluators, readStoredConfig } from '../../scores/stored-config.ts'
import type { Queries } from '../../storage/db.ts'
import { previewOf } from '../../traces/list-fields.ts'
import { findCallItems } from '../calls/call-item-queries.ts'
import { requireVariant } from '../calls/call-routes.ts'
import { callTraceId } from '../calls/call-trace-id.ts'
import type { Plan } from '../read-plan.ts'
import { requireTrial, type TrialRow } from '../trial-queries.ts'
import { TrialParams } from '../trial-schemas.ts'
import { listVariants, type Variant } from '../variant-queries.ts'
import {
  countMatrixItems,
  findMatrixScores,
  listMatrixCalls,
  listMatrixItems,
  listStates,
  MATRIX_FILTERS,
  type MatrixScope,
} from './matrix-queries.ts'
import { ITEMS_PAGE, MATRIX_FORMATS, MatrixQuery, TrialMatrix } from './matrix-schemas.ts'

const cursors = cursorOf({ place: isNumber })
const STATES_PER_READ = 5_000
const LETTERS = { queued: 'q', running: 'r', retrying: 't', done: 'd', failed: 'f', skipped: 's' } as const

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
    const after = cursors.read(query.cursor, filter)?.place ?? -1
    const q = db.bulk({ application: workspaceId, signal, from: 'request' })
    const trial = await requireTrial(q, { workspaceId, ...params })
    const variants = await listVariants(q, { workspaceId, trialId: trial.id })
    const { metric, scope } = await openMatrix(q, principal, { trial, variants, name: query.variant })
    const empty = { metric, data: [], nextCursor: null, counts: null, compact: null }
    if (format === 'compact') return ok({ ...empty, compact: await readStates(q, scope) })
    const found = await listMatrixItems(q, scope, { filter, after, limit })
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const counts = query.cursor === undefined ? await countMatrixItems(q, scope) : null
    return ok({
      ...empty,
      data: await readItems(q, scope, { trial, variants, page }),
      nextCursor: last ? cursors.write({ place: last.place }, filter) : null,
      counts: counts && { ...counts, differ: scope.scored ? counts.differ : null },
    })
  },
})

function oneOf<Name extends string>(parameter: string, given: string, known: readonly Name[]): Name {
  const found = known.find((name) => name === given)
  if (found !== undefined) return found
  throw badRequest(`The query parameter ${parameter} must be one of ${known.join(', ')}`)
}

type Opening = { trial: TrialRow; variants: readonly Variant[]; name: string | undefined }

/** Without the scores that the reader must not see: see `withhold-ratings.ts`. */
async function openMatrix(
  q: Queries,
  { workspaceId, userId }: Principal,
  { trial, variants, name }: Opening,
): Promise<{ metric: string | null; scope: MatrixScope }> {
  const plan: Plan = JSON.parse(trial.plan)
  const variant = name === undefined ? undefined : requireVariant(variants, name)
  const scope = {
    workspaceId,
    trialId: trial.id,
    callsPerItem: variants.length * plan.repetitions,
    variant: variant?.number,
  }
  const config = plan.evaluation && readStoredConfig(JSON.stringify(plan.evaluation))
  const names = config?.evaluators?.map((evaluator) => evaluator.name) ?? []
  const metric = names.find((one) => one === config?.gateMetric) ?? names[0] ?? null
  const evaluationIds = (variant ? [variant] : variants).flatMap(({ evaluationId }) => evaluationId ?? [])
  if (!config || metric === null || evaluationIds.length === 0) return { metric, scope: { ...scope, scored: null } }
  const isRating = humanRatingEvaluators(config).includes(metric)
  const blindRuns = isRating ? new Set(await listBlindRuns(q, { workspaceId, readerId: userId })) : new Set<string>()
  const isWithheld = variants.some(({ runId }) => isBlindAmong(blindRuns, { runId, config }))
  return { metric, scope: { ...scope, scored: isWithheld ? null : { metric, evaluationIds } } }
}

type Page = { trial: TrialRow; variants: readonly Variant[]; page: readonly { place: number; itemId: string }[] }

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
  const byItem = Map.groupBy(calls, ({ itemId }) => itemId)
  return itemIds.map((itemId) => ({
    itemId,
    preview: previewOf(items.get(itemId)?.input ?? null),
    calls: (byItem.get(itemId) ?? []).map(({ number, variant, repetition, state, attempt }) => {
      const traceId = attempt === 0 ? null : callTraceId({ trialId: trial.id, variant, itemId, repetition, attempt })
      return {
        callId: number,
        variant: variants.find((one) => one.number === variant)?.name ?? '',
        repetition,
        state,
        score: traceId === null ? null : (scores.get(traceId) ?? null),
        traceId,
      }
    }),
  }))
}

async function readStates(q: Queries, scope: MatrixScope): Promise<string> {
  let states = ''
  for (let after = 0; ; ) {
    const read = await listStates(q, scope, { after, limit: STATES_PER_READ })
    for (const { state } of read) states += LETTERS[state]
    const last = read.at(-1)
    if (!last || read.length < STATES_PER_READ) return states
    after = last.number
    await yieldToEventLoop()
  }
}
