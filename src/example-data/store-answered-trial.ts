import { type Clock, timestamp } from '../base/clock.ts'
import { createdAtOf, idGenerator } from '../base/ids.ts'
import { startEvaluation } from '../evaluations/start-evaluation.ts'
import type { Context } from '../http/route.ts'
import { addTraces } from '../ingestion/add-traces.ts'
import type { Ingest } from '../ingestion/ingest-spans.ts'
import type { Trace } from '../ingestion/native-trace.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { createRun } from '../runs/create-run.ts'
import type { Queries } from '../storage/db.ts'
import { insertCalls, markCallEnded, startCall } from '../trials/calls/call-queries.ts'
import { callTraceId } from '../trials/calls/call-trace-id.ts'
import type { Plan } from '../trials/read-plan.ts'
import type { Target } from '../trials/targets/target.ts'
import { insertTrial, updateTrial } from '../trials/trial-queries.ts'
import { countCalls, insertVariants, setEvaluation, type Variant } from '../trials/variant-queries.ts'
import type { Quotas } from '../workspaces/quotas.ts'

const SECONDS_PER_CALL = 4

export type ExampleScope = { workspaceId: string; componentId: string; datasetId: string }
export type Creating = Context
export type ExampleTrial = { trialId: string; runIds: string[]; evaluationIds: string[]; traceIds: string[] }

/** `number` is that of the variant, from 1; `index` the place of the item. */
type Called = { number: number; index: number; startMs: number }

type Answer = { trace: Omit<Trace, 'traceId'>; durationMs: number; nanoUsd: number }

type AnsweredTrial = ExampleScope & {
  name: string
  plan: Plan
  startMs: number
  variants: readonly { name: string; target: Target }[]
  itemIds: readonly string[]
  answer(called: Called): Answer
  evaluators: Record<string, unknown>[]
  userId: string
  ingest: Ingest
  quotas: Quotas
}

/**
 * A trial whose calls have all ended. They are stored as they are, because there is no model to call; its job then waits for the
 * evaluations, compares the runs and ends the trial as it does with any other.
 */
export async function storeAnsweredTrial(
  context: Creating,
  tx: Queries,
  { name, plan, startMs, variants: wanted, itemIds, answer, userId, ...given }: AnsweredTrial,
): Promise<ExampleTrial> {
  const { ingest, quotas, evaluators, ...scope } = given
  const { workspaceId, datasetId } = scope
  const trialId = idGenerator({ now: () => startMs })()
  const of = { workspaceId, trialId }
  const callsTotal = itemIds.length * wanted.length
  await insertTrial(tx, {
    workspace_id: workspaceId,
    id: trialId,
    component_id: scope.componentId,
    dataset_id: datasetId,
    name,
    calls_total: callsTotal,
    calls_until: callsTotal,
    user_id: userId,
    max_nano_usd: null,
    plan: JSON.stringify(plan),
    item_ids: null,
    created_at: createdAtOf(trialId),
  })
  const variants: StoredVariant[] = []
  for (const [place, variant] of wanted.entries()) {
    const run = await createRun(context, { ...scope, name: `${name}: ${variant.name}` })
    variants.push({ ...variant, number: place + 1, runId: run.id, total: itemIds.length })
  }
  await insertVariants(tx, of, variants)
  const { ids } = await addTraces(context, ingest, {
    ...scope,
    traces: await endCalls(tx, of, { variants, itemIds, startMs, answer }),
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
  const evaluationIds = await startEvaluations(context, tx, {
    ...{ ...scope, trialId, variants, quotas, evaluators },
    baseline: plan.baseline,
  })
  await enqueueJob(tx, context, { workspaceId, kind: 'trial', payload: { trialId } })
  return {
    trialId,
    runIds: variants.map(({ runId }) => runId),
    evaluationIds,
    traceIds: ids.map(({ id }) => id),
  }
}

type StoredVariant = Pick<Variant, 'number' | 'name' | 'target' | 'runId' | 'total'>

type Calls = Pick<AnsweredTrial, 'itemIds' | 'startMs' | 'answer'> & { variants: readonly StoredVariant[] }

/** Writes the calls as answered, item by item. Returns their traces. */
async function endCalls(
  tx: Queries,
  of: { workspaceId: string; trialId: string },
  { variants, itemIds, startMs, answer }: Calls,
): Promise<Trace[]> {
  const calls = itemIds.flatMap((itemId, index) =>
    variants.map((variant, place) => ({ variant, itemId, index, number: index * variants.length + place + 1 })),
  )
  const rows = calls.map(({ variant, itemId, number }) => ({ number, variant: variant.number, itemId, repetition: 1 }))
  await insertCalls(tx, of, rows)
  const traces: Trace[] = []
  for (const { variant, itemId, index, number } of calls) {
    const clock: Clock = { now: () => startMs + number * SECONDS_PER_CALL * 1_000 }
    const call = { trialId: of.trialId, variant: variant.number, itemId, repetition: 1, attempt: 1 }
    const { trace, durationMs, nanoUsd } = answer({ number: variant.number, index, startMs: clock.now() })
    await startCall(tx, clock, { ...of, number }, { lease: null })
    await markCallEnded(tx, { ...of, number }, { state: 'done', reason: null, nanoUsd, durationMs })
    await countCalls(tx, { ...of, number: variant.number }, { done: 1, nanoUsd })
    const metadata = {
      'touchstone.trial.id': of.trialId,
      'touchstone.trial.variant': variant.name,
      'touchstone.trial.repetition': 1,
      'touchstone.trial.attempt': 1,
    }
    traces.push({
      ...trace,
      traceId: callTraceId(call),
      run: variant.runId,
      itemId,
      metadata: { ...trace.metadata, ...metadata },
    })
  }
  return traces
}

type Evaluating = ExampleScope &
  Pick<AnsweredTrial, 'quotas' | 'evaluators'> & {
    trialId: string
    variants: readonly StoredVariant[]
    baseline: number
  }

async function startEvaluations(
  context: Creating,
  tx: Queries,
  { trialId, variants, baseline, evaluators, quotas, ...scope }: Evaluating,
): Promise<string[]> {
  const baselineRunId = variants.find(({ number }) => number === baseline)?.runId
  const ids: string[] = []
  for (const { number, name, runId } of variants) {
    const config = { evaluators, baselineRunId }
    const { id } = await startEvaluation(context, quotas, { ...scope, runId, name, config })
    await setEvaluation(tx, { workspaceId: scope.workspaceId, trialId, number }, id)
    ids.push(id)
  }
  return ids
}
