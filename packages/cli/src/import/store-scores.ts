/** Scores of a source: an evaluation with `external` evaluators, known by its name and its run. */
import type { Score } from 'touchstone-sdk'
import { ConflictError } from 'touchstone-sdk/client'
import type { EvaluationRecord, ImportedScore } from './import-record.ts'
import { type ImportTarget, requireStored, runKey } from './import-target.ts'

const SCORES_PER_REQUEST = 500
const REASON_MAX = 4000
const LABEL_MAX = 200
/** Of one evaluation. */
const EVALUATORS_MAX = 50
const FINISHED = 'its evaluation is finished without this case: delete it to import all of its scores again'
const SUMMARIES = '/components/{componentId}/evaluation-summaries'

interface Ids {
  componentId: string
  datasetId: string
  runId: string
}

export async function storeEvaluation(target: ImportTarget, record: EvaluationRecord): Promise<void> {
  const { tally, component } = target
  const allowed = new Set(record.evaluators.slice(0, EVALUATORS_MAX).map(({ name }) => name))
  const scores = record.scores.filter((score) => {
    const reason = allowed.has(score.evaluator)
      ? whyNotTaken(score)
      : `an evaluation has at most ${EVALUATORS_MAX} evaluators`
    if (reason) tally.notTaken({ of: 'scores', what: score.evaluator, reason })
    return reason === undefined
  })
  if (scores.length === 0) return
  const named = new Set(scores.map(({ evaluator }) => evaluator))
  const evaluators = record.evaluators.filter(({ name }) => named.has(name))
  const { id: runId } = requireStored(target.runs, runKey(record.dataset, record.run), 'run')
  const { id: datasetId } = requireStored(target.datasets, record.dataset, 'dataset')
  if (component.id === undefined || runId === undefined || datasetId === undefined) {
    tally.created('scores', scores.length)
    return
  }
  const ids = { componentId: component.id, datasetId, runId }
  const refs = await traceRefs(target, ids)
  const found = await findEvaluation(target, ids, record.name)
  const states = found ? await scoreStates(target, ids, found.id) : new Map<string, string>()
  const isCompleted = found?.status === 'completed'
  const isFinal = isCompleted || found?.status === 'failed'
  const stateOf = ({ traceId, evaluator }: ImportedScore) => states.get(keyOf(refs.get(traceId), evaluator))
  const missing = scores.filter((score) => {
    const state = stateOf(score)
    if (state === 'scored') tally.alreadyThere('scores')
    // A retry repeats the cases that an evaluation has planned and adds none.
    else if (isCompleted && state === undefined)
      tally.notTaken({ of: 'scores', what: score.evaluator, reason: FINISHED })
    else return true
    return false
  })
  if (missing.length === 0) return
  if (target.isDryRun) {
    tally.created('scores', missing.length)
    return
  }
  const evaluationId = await openEvaluation(target, ids, { name: record.name, evaluators, found, isFinal })
  if (evaluationId === undefined) {
    for (const { evaluator } of missing) tally.notTaken({ of: 'scores', what: evaluator, reason: FINISHED })
    return
  }
  // First, so that an import that was interrupted here still has scores to deliver, and is continued.
  await failOthers(target, { ...ids, evaluationId }, { evaluators, scores, refs, states: isFinal ? new Map() : states })
  await deliver(target, { ...ids, evaluationId }, missing)
}

function whyNotTaken({ score, label, passed }: ImportedScore): string | undefined {
  if (score === undefined && label === undefined && passed === undefined) return 'it has no value'
  if (score === undefined || (score >= 0 && score <= 1)) return undefined
  return 'a score must be between 0 and 1'
}

/** The ids by which scores name the traces of the run. */
async function traceRefs({ client, signal }: ImportTarget, { componentId, runId }: Ids): Promise<Map<string, string>> {
  const refs = new Map<string, string>()
  for await (const { id, traceId } of client.runs.traces(componentId, runId, {}, { signal })) refs.set(traceId, id)
  return refs
}

interface Found {
  id: string
  status: string
}

async function findEvaluation({ client, signal }: ImportTarget, ids: Ids, name: string): Promise<Found | undefined> {
  const { componentId, runId } = ids
  const summaries = client.list(SUMMARIES, { params: { componentId }, query: { run_id: runId }, signal })
  for await (const summary of summaries) if (summary.name === name) return summary
  return undefined
}

async function scoreStates({ client, signal }: ImportTarget, { componentId }: Ids, evaluationId: string) {
  const states = new Map<string, string>()
  const scores: AsyncIterable<Score> = client.evaluations.scores(componentId, evaluationId, {}, { signal })
  for await (const { traceDbId, evaluator, state } of scores)
    states.set(keyOf(traceDbId ?? undefined, evaluator), state)
  return states
}

function keyOf(ref: string | undefined, evaluator: string): string {
  return JSON.stringify([ref, evaluator])
}

/**
 * A finished evaluation without all of the scores was interrupted for longer than it waits, or canceled: it is opened again. Undefined if
 * the server has nothing to repeat.
 */
async function openEvaluation(
  { client, signal }: ImportTarget,
  { componentId, datasetId, runId }: Ids,
  opened: Pick<EvaluationRecord, 'name' | 'evaluators'> & { found: Found | undefined; isFinal: boolean },
): Promise<string | undefined> {
  const { name, evaluators, found } = opened
  if (found) {
    try {
      if (opened.isFinal) await client.evaluations.retry(componentId, found.id, { signal })
      return found.id
    } catch (error) {
      if (error instanceof ConflictError) return undefined
      throw error
    }
  }
  const config = { evaluators: evaluators.map((evaluator) => ({ type: 'external', ...evaluator })) }
  const body = { datasetId, runId, name, config }
  return (await client.evaluations.create(componentId, body, { signal })).id
}

interface Opened extends Ids {
  evaluationId: string
}

async function deliver(target: ImportTarget, { componentId, evaluationId }: Opened, scores: ImportedScore[]) {
  const { client, signal, tally } = target
  for (let at = 0; at < scores.length; at += SCORES_PER_REQUEST) {
    const some = scores.slice(at, at + SCORES_PER_REQUEST)
    const batch = some.map(({ traceId, reason, label, ...score }) => ({
      ...score,
      traceDbId: traceId,
      ...(label && { label: label.slice(0, LABEL_MAX) }),
      ...(reason && { reason: reason.slice(0, REASON_MAX) }),
    }))
    const { stored, unchanged, unknown } = await client.evaluations.addScores(componentId, evaluationId, batch, {
      signal,
    })
    tally.created('scores', stored)
    tally.alreadyThere('scores', unchanged)
    for (const { index, reason } of unknown) {
      tally.notTaken({ of: 'scores', what: some[index]?.evaluator ?? '', reason })
    }
  }
}

/** Cases that the source has not scored: without a result for each the evaluation would wait for an hour. */
async function failOthers(
  { client, signal, source }: ImportTarget,
  { componentId, evaluationId }: Opened,
  run: Pick<EvaluationRecord, 'evaluators' | 'scores'> & { refs: Map<string, string>; states: Map<string, string> },
): Promise<void> {
  const { evaluators, scores, refs, states } = run
  const scored = new Set(scores.map(({ traceId, evaluator }) => keyOf(refs.get(traceId), evaluator)))
  const error = `${source} has no score for this case`
  const others = [...refs.values()].flatMap((traceDbId) =>
    evaluators
      .filter(({ name }) => !scored.has(keyOf(traceDbId, name)) && states.get(keyOf(traceDbId, name)) !== 'failed')
      .map(({ name }) => ({ evaluator: name, traceDbId, error })),
  )
  for (let at = 0; at < others.length; at += SCORES_PER_REQUEST) {
    await client.evaluations.addScores(componentId, evaluationId, others.slice(at, at + SCORES_PER_REQUEST), { signal })
  }
}
