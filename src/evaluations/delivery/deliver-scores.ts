/**
 * Stores scores that clients compute, for the external evaluators of an evaluation.
 *
 * A score can be delivered as soon as the evaluation exists. If the worker has not planned it yet, it is planned here;
 * the worker skips what exists. The same applies to a retry: a failed score that the worker has not queued again yet is
 * queued here, and `delivered_in` keeps the worker from queueing it a second time.
 *
 * A score becomes final once. Delivering it again changes nothing, so a client can repeat a request whose response it
 * has not received. The request that delivers the last score makes the job of the evaluation due.
 */
import { isDeepStrictEqual } from 'node:util'
import { timestamp } from '../../base/clock.ts'
import { badRequest, conflict } from '../../base/errors.ts'
import { ConfigError, type Evaluator, isExternal, type Verdict } from '../../evaluators/evaluator.ts'
import { type DeliveredResult, deliveredVerdict } from '../../evaluators/external.ts'
import { compileOptionChecks } from '../../evaluators/read-evaluators.ts'
import type { Context } from '../../http/route.ts'
import { wakeJob } from '../../jobs/enqueue.ts'
import { findItemsByQuestion } from '../../runs/items-by-question.ts'
import { insertQueuedScores, isPending, saveScoreResults, verdictColumns } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'
import { type EvaluationConfig, readConfig } from '../evaluation-config.ts'
import { type EvaluationInComponent, requireEvaluation } from '../evaluation-queries.ts'
import {
  type CaseItem,
  type CaseSource,
  findCaseItems,
  hashItems,
  listCasesOfItems,
  listUnlinkedCases,
} from '../runner/case-queries.ts'
import { requeueScores } from '../runner/plan-queries.ts'
import { readPlan } from '../runner/plan-scores.ts'
import { addPlannedScores, countPendingScores, listPlannedScores, lockEvaluation } from './delivery-queries.ts'

const DETAILS_BYTES_MAX = 16 * 1024
const NOTHING_SPENT = { calls: 0, costUsd: 0, tokens: 0 }

type DeliveredScore = CaseName & DeliveredResult & { evaluator: string }

/** A score with its external evaluator and its case. */
type Addressed = { index: number; evaluator: string; verdict: Verdict; ref: string; itemHash: string | null } & CaseItem
type Unknown = { index: number; reason: string }

type Delivery = { addressed: Addressed[]; unknown: Unknown[] }

/** Everything that need not happen in the transaction. Throws 400, 404 or 409. */
export async function prepareDelivery(
  { db }: Pick<Context, 'db'>,
  scope: EvaluationInComponent,
  scores: readonly DeliveredScore[],
): Promise<Delivery> {
  for (const [index, score] of scores.entries()) checkForm(score, `scores[${index}]`)
  const evaluation = await requireEvaluation(db.read, scope)
  rejectFinal(evaluation)
  await compileOptionChecks()
  const { evaluators, split } = readValidConfig(evaluation.config)
  const { workspaceId } = scope
  const source = { workspaceId, datasetId: evaluation.dataset_id, runId: evaluation.run_id, split }
  const bulk = db.bulk({ application: workspaceId, from: 'request' })
  const located = await locateCases(bulk, source, scores)
  const byName = new Map(evaluators.map((evaluator) => [evaluator.name, evaluator]))
  const all = scores.map((score, index) => address(score, { index, at: located[index], byName }))
  return { addressed: all.filter((one) => 'verdict' in one), unknown: all.filter((one) => 'reason' in one) }
}

type At = { index: number; at: LocatedCase | undefined; byName: ReadonlyMap<string, Evaluator> }

function address(score: DeliveredScore, { index, at, byName }: At): Addressed | Unknown {
  const evaluator = byName.get(score.evaluator)
  if (!evaluator) return { index, reason: `the evaluation has no evaluator named ${JSON.stringify(score.evaluator)}` }
  if (!isExternal(evaluator)) return { index, reason: `the server computes the scores of ${evaluator.name}` }
  if (!at || 'problem' in at) return { index, reason: at?.problem ?? NO_CASE }
  return { index, evaluator: evaluator.name, verdict: deliveredVerdict(evaluator, score), ...at }
}

const NO_CASE = 'the evaluation has no such case'
const DIFFERENT = 'the score is final and has a different value'

/** Returns how many scores were stored, and which were not and why. Throws 404 or 409. */
export async function deliverScores(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  scope: EvaluationInComponent,
  delivery: Delivery,
) {
  const { workspaceId, evaluationId } = scope
  const of = { workspaceId, evaluationId }
  return db.transaction(async (tx) => {
    await lockEvaluation(tx, of)
    const evaluation = await requireEvaluation(tx, scope)
    rejectFinal(evaluation)
    const now = timestamp(clock.now())
    await planDelivered(tx, of, { delivery, evaluation, now })
    const { results, unchanged, unknown } = await compareWithStored(tx, of, delivery)
    if (results.length > 0) {
      const scores = results.map(({ ref, evaluator, itemId, itemHash, verdict }) => {
        return { caseRef: ref, evaluator, repetition: 1, itemId, itemHash, attempts: 1, verdict, costUsd: null }
      })
      await saveScoreResults(tx, of, { scores, spent: NOTHING_SPENT, now, deliveredIn: evaluation.retries })
      if ((await countPendingScores(tx, of)) === 0)
        await wakeJob(tx, { clock }, { workspaceId, kind: 'evaluation', payload: { evaluationId } })
    }
    return { stored: results.length, unchanged, unknown: unknown.sort((a, b) => a.index - b.index) }
  })
}

type Planning = {
  delivery: Delivery
  evaluation: { planned_to: string | null; retries: number }
  now: string
}

/** Does the part of the worker's plan that these scores need, unless the worker has done it. */
async function planDelivered(
  tx: Queries,
  of: { workspaceId: string; evaluationId: string },
  { delivery: { addressed }, evaluation, now }: Planning,
): Promise<void> {
  const { isPlanned, isRetrying } = readPlan(evaluation.planned_to)
  const evaluators = evaluatorsIn(addressed)
  if (isRetrying) await requeueScores(tx, of, { refs: refsIn(addressed), evaluators, retries: evaluation.retries })
  if (isPlanned) return
  const cases = new Map(addressed.flatMap(({ key }) => (key ? [[key.ref, key]] : [])))
  const planned = evaluators.map((name) => ({ name, repetitions: 1 }))
  const added = await insertQueuedScores(tx, of, { cases: [...cases.values()], evaluators: planned, now })
  await addPlannedScores(tx, of, added)
}

/** Separates the scores that are still pending from those that are final. */
async function compareWithStored(
  tx: Queries,
  of: { workspaceId: string; evaluationId: string },
  { addressed, unknown }: Delivery,
) {
  const rows = await listPlannedScores(tx, of, { refs: refsIn(addressed), evaluators: evaluatorsIn(addressed) })
  const stored = new Map<string, StoredVerdict>(rows.map((row) => [keyOf(row.caseRef, row.evaluator), row]))
  const results: Addressed[] = []
  const problems = [...unknown]
  let unchanged = 0
  for (const score of addressed) {
    const key = keyOf(score.ref, score.evaluator)
    const row = stored.get(key)
    const delivered = storedForm(score.verdict)
    if (!row) problems.push({ index: score.index, reason: NO_CASE })
    else if (isPending(row.state)) {
      results.push(score)
      // The request may have the same score a second time.
      stored.set(key, delivered)
    } else if (isSame(row, delivered)) unchanged += 1
    else problems.push({ index: score.index, reason: DIFFERENT })
  }
  return { results, unchanged, unknown: problems }
}

type StoredVerdict = {
  state: string
  score: number | null
  label: string | null
  passed: number | null
  reason: string | null
  details: string | null
}

function storedForm(verdict: Verdict): StoredVerdict {
  const [score, label, passed, reason, details] = verdictColumns(verdict)
  return { state: verdict.state, score, label, passed, reason, details }
}

/** The order of the keys in details does not matter. */
function isSame(row: StoredVerdict, delivered: StoredVerdict): boolean {
  const { details, ...values } = delivered
  return (
    row.state === values.state &&
    row.score === values.score &&
    row.label === values.label &&
    row.passed === values.passed &&
    row.reason === values.reason &&
    isDeepStrictEqual(JSON.parse(row.details ?? 'null'), JSON.parse(details ?? 'null'))
  )
}

function keyOf(ref: string, evaluator: string): string {
  return JSON.stringify([ref, evaluator])
}

function refsIn(addressed: readonly Addressed[]): string[] {
  return [...new Set(addressed.map(({ ref }) => ref))]
}

function evaluatorsIn(addressed: readonly Addressed[]): string[] {
  return [...new Set(addressed.map(({ evaluator }) => evaluator))]
}

/** What the schema of the request cannot express. */
function checkForm({ itemId, traceDbId, ...result }: DeliveredScore, field: string): void {
  if ((itemId === undefined) === (traceDbId === undefined))
    throw badRequest(`The field ${field} must have either itemId or traceDbId`)
  const { error, score, label, passed, reason, details } = result
  const hasResult = score !== undefined || label !== undefined || passed !== undefined
  if (error === undefined && !hasResult)
    throw badRequest(`The field ${field} must have a score, a label, passed or an error`)
  if (error !== undefined && (hasResult || reason !== undefined || details !== undefined))
    throw badRequest(`The field ${field} must have either an error or a result`)
  if (details && Buffer.byteLength(JSON.stringify(details)) > DETAILS_BYTES_MAX)
    throw badRequest(`The field ${field}.details is larger than ${DETAILS_BYTES_MAX} bytes`)
}

function rejectFinal({ status }: { status: string }): void {
  if (status === 'completed' || status === 'failed')
    throw conflict(`The evaluation is already finished (${status}) and accepts no scores`)
}

/** An evaluation with an invalid config fails as soon as a worker claims it. */
function readValidConfig(text: string): EvaluationConfig {
  try {
    return readConfig(text)
  } catch (error) {
    throw error instanceof ConfigError ? conflict(`The evaluation cannot run: ${error.message}`) : error
  }
}

/** To match a trace by its input, the input must be read. In runs with more such traces, they are named by trace only. */
const UNLINKED_CASES_MAX = 1_000

/** Exactly one of them is set. */
type CaseName = { itemId?: string | undefined; traceDbId?: string | undefined }

/** A case without a key may still have planned scores: its item or its link may have been deleted since. */
type LocatedCase = ({ ref: string; itemHash: string | null } & CaseItem) | { problem: string }

/** In the order of the names. */
async function locateCases(q: Queries, source: CaseSource, names: readonly CaseName[]): Promise<LocatedCase[]> {
  const refs = await (source.runId === null
    ? names.map(itemRef)
    : runRefs(q, { ...source, runId: source.runId }, names))
  const found = await findCaseItems(q, source, [...new Set(refs.flatMap((ref) => ('ref' in ref ? [ref.ref] : [])))])
  const itemIds = [...found.values()].flatMap(({ itemId }) => itemId ?? [])
  const hashes = await hashItems(q, source, itemIds)
  return refs.map((located) => {
    if (!('ref' in located)) return located
    const { itemId, key } = found.get(located.ref) ?? { itemId: null, key: undefined }
    return { ref: located.ref, itemId, key, itemHash: hashes.get(itemId ?? '') ?? null }
  })
}

type Ref = { ref: string } | { problem: string }

function itemRef({ itemId }: CaseName): Ref {
  return itemId === undefined ? { problem: 'the evaluation has no run: name the case by itemId' } : { ref: itemId }
}

async function runRefs(q: Queries, source: CaseSource & { runId: string }, names: readonly CaseName[]): Promise<Ref[]> {
  const traces = await canonicalRefs(
    q,
    source.workspaceId,
    names.map(({ traceDbId = '' }) => traceDbId),
  )
  const itemIds = new Set(names.flatMap(({ itemId }) => (itemId === undefined ? [] : [itemId])))
  const refsOf = itemIds.size === 0 ? new Map<string, string[]>() : await casesOfItems(q, source, itemIds)
  return names.map(({ itemId }, index) => {
    if (itemId === undefined) return { ref: traces[index] ?? '' }
    const refs = refsOf.get(itemId) ?? []
    const [ref] = refs
    if (ref === undefined) return { problem: 'no case has this item; a case can also be named by traceDbId' }
    return refs.length === 1 ? { ref } : { problem: `${refs.length} cases have this item: name the case by traceDbId` }
  })
}

/** The traces of these items, found as for the scores that the server computes: see `load-cases.ts`. */
async function casesOfItems(
  q: Queries,
  source: CaseSource & { runId: string },
  itemIds: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const linked = await listCasesOfItems(q, source, [...itemIds])
  const unlinked = await listUnlinkedCases(q, source, UNLINKED_CASES_MAX + 1)
  const byInput = unlinked.length > UNLINKED_CASES_MAX ? [] : await findItemsByQuestion(q, source, unlinked)
  const refs = new Map<string, string[]>()
  for (const [ref, itemId] of [...linked, ...byInput]) {
    if (itemIds.has(itemId)) refs.set(itemId, [...(refs.get(itemId) ?? []), ref])
  }
  return refs
}
