import { type Clock, timestamp } from '../base/clock.ts'
import { createdAtOf, idGenerator } from '../base/ids.ts'
import { startEvaluation } from '../evaluations/start-evaluation.ts'
import type { Context } from '../http/route.ts'
import { addTraces } from '../ingestion/add-traces.ts'
import type { Ingest } from '../ingestion/ingest-spans.ts'
import type { Trace } from '../ingestion/native-trace.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { createRun } from '../runs/create-run.ts'
import type { Db, Queries } from '../storage/db.ts'
import { insertCalls, markCallEnded, startCall } from '../trials/calls/call-queries.ts'
import { callTraceId } from '../trials/calls/call-trace-id.ts'
import type { Plan } from '../trials/read-plan.ts'
import type { Target } from '../trials/targets/target.ts'
import { insertTrial, updateTrial } from '../trials/trial-queries.ts'
import { countCalls, insertVariants, setEvaluation, type Variant } from '../trials/variant-queries.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { EXAMPLE_MODEL } from './example-prompt.ts'
import { EXAMPLE_CASES, EXAMPLE_EVALUATORS } from './example-traces.ts'
import { callNanoUsd, callOfTrial } from './trial-traces.ts'

const HOUR_MS = 3_600_000
/** After the canary of version 3, and before it was taken back: this is why. */
const HOURS_AGO = 36
const SECONDS_PER_CALL = 4
/** Version 1 is what the others are compared with. */
const VERSIONS = [1, 2, 3]
const BASELINE = 1
const NAME = 'Versions 1, 2 and 3'

type Scope = { workspaceId: string; componentId: string; datasetId: string }
type Creating = Pick<Context, 'clock' | 'newId' | 'requestId' | 'address'> & { db: Db }
type Given = Scope & { promptId: string; itemIds: readonly string[]; userId: string; ingest: Ingest; quotas: Quotas }

export type ExampleTrial = { trialId: string; runIds: string[]; evaluationIds: string[]; traceIds: string[] }

/**
 * A trial of three versions of the example prompt whose calls have all ended. They are stored as they are, because there is no model to
 * call; its job then waits for the evaluations, compares the runs and ends the trial as it does with any other.
 */
export async function createExampleTrial(
  context: Creating,
  tx: Queries,
  { promptId, itemIds, userId, ingest, quotas, ...scope }: Given,
): Promise<ExampleTrial> {
  const { workspaceId, datasetId } = scope
  const startMs = context.clock.now() - HOURS_AGO * HOUR_MS
  const trialId = idGenerator({ now: () => startMs })()
  const of = { workspaceId, trialId }
  const plan = planOf(itemIds)
  const callsTotal = itemIds.length * VERSIONS.length
  await insertTrial(tx, {
    workspace_id: workspaceId,
    id: trialId,
    component_id: scope.componentId,
    dataset_id: datasetId,
    name: NAME,
    calls_total: callsTotal,
    calls_until: callsTotal,
    user_id: userId,
    max_nano_usd: null,
    plan: JSON.stringify(plan),
    item_ids: null,
    created_at: createdAtOf(trialId),
  })
  const variants: Pick<Variant, 'number' | 'name' | 'target' | 'runId' | 'total'>[] = []
  for (const [place, version] of VERSIONS.entries()) {
    const name = `v${version}`
    const run = await createRun(context, { ...scope, name: `${NAME}: ${name}` })
    variants.push({
      number: place + 1,
      name,
      target: targetOf(promptId, version),
      runId: run.id,
      total: itemIds.length,
    })
  }
  await insertVariants(tx, of, variants)
  const { ids } = await addTraces(context, ingest, {
    ...scope,
    traces: await endCalls(tx, of, { variants, itemIds, startMs }),
  })
  const now = timestamp(startMs + callsTotal * SECONDS_PER_CALL * 1_000)
  await updateTrial(tx, of, {
    status: 'running',
    phase: 'evaluating',
    ended_by: 'done',
    calls_planned: callsTotal,
    started_at: timestamp(startMs),
    now,
  })
  const evaluationIds = await startEvaluations(context, tx, { ...scope, trialId, variants, quotas })
  await enqueueJob(tx, context, { workspaceId, kind: 'trial', payload: { trialId } })
  return {
    trialId,
    runIds: variants.map(({ runId }) => runId),
    evaluationIds,
    traceIds: ids.map(({ id }) => id),
  }
}

function planOf(itemIds: readonly string[]): Plan {
  return {
    split: null,
    sample: null,
    variables: { question: 'input', passages: 'metadata.passages' },
    baseline: BASELINE,
    repetitions: 1,
    concurrency: Math.min(8, itemIds.length),
    maxMinutes: 60,
    evaluation: { evaluators: EXAMPLE_EVALUATORS },
    looks: null,
  }
}

function targetOf(promptId: string, version: number): Target {
  return { type: 'prompt', promptId, version, provider: null, model: EXAMPLE_MODEL, parameters: {}, tools: 'record' }
}

type Calls = {
  variants: readonly Pick<Variant, 'number' | 'name' | 'runId'>[]
  itemIds: readonly string[]
  startMs: number
}

/** Writes the calls as answered, item by item. Returns their traces. */
async function endCalls(
  tx: Queries,
  of: { workspaceId: string; trialId: string },
  { variants, itemIds, startMs }: Calls,
) {
  const calls = itemIds.flatMap((itemId, index) =>
    variants.map((variant, place) => ({ variant, itemId, index, number: index * variants.length + place + 1 })),
  )
  const rows = calls.map(({ variant, itemId, number }) => ({ number, variant: variant.number, itemId, repetition: 1 }))
  await insertCalls(tx, of, rows)
  const traces: Trace[] = []
  for (const { variant, itemId, index, number } of calls) {
    const one = EXAMPLE_CASES[index]
    const version = VERSIONS[variant.number - 1]
    if (!one || version === undefined) throw new RangeError('each item of the example is one of its cases')
    const clock: Clock = { now: () => startMs + number * SECONDS_PER_CALL * 1_000 }
    const call = { trialId: of.trialId, variant: variant.number, itemId, repetition: 1, attempt: 1 }
    const answer = callOfTrial({ one, version, index, startMs: clock.now() })
    const nanoUsd = callNanoUsd(answer)
    await startCall(tx, clock, { ...of, number }, { lease: null })
    const ended = { state: 'done', reason: null, nanoUsd, durationMs: answer.durationMs } as const
    await markCallEnded(tx, { ...of, number }, ended)
    await countCalls(tx, { ...of, number: variant.number }, { done: 1, nanoUsd })
    const metadata = {
      'touchstone.trial.id': of.trialId,
      'touchstone.trial.variant': variant.name,
      'touchstone.trial.repetition': 1,
      'touchstone.trial.attempt': 1,
    }
    traces.push({
      ...answer.trace,
      traceId: callTraceId(call),
      run: variant.runId,
      itemId,
      metadata: { ...answer.trace.metadata, ...metadata },
    })
  }
  return traces
}

type Evaluating = Scope & {
  trialId: string
  variants: readonly Pick<Variant, 'number' | 'name' | 'runId'>[]
  quotas: Quotas
}

async function startEvaluations(
  context: Creating,
  tx: Queries,
  { trialId, variants, quotas, ...scope }: Evaluating,
): Promise<string[]> {
  const baselineRunId = variants.find(({ number }) => number === BASELINE)?.runId
  const ids: string[] = []
  for (const { number, name, runId } of variants) {
    const config = { evaluators: EXAMPLE_EVALUATORS, baselineRunId }
    const { id } = await startEvaluation(context, quotas, { ...scope, runId, name, config })
    await setEvaluation(tx, { workspaceId: scope.workspaceId, trialId, number }, id)
    ids.push(id)
  }
  return ids
}
