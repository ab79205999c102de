/** The calls of a search as traces. The trace of the attempt that ended a call is written with its end; other attempts have none. */
import { hash } from 'node:crypto'
import { type Clock, timestamp } from '../../base/clock.ts'
import type { NewId } from '../../base/ids.ts'
import type { Ingest } from '../../ingestion/ingest-spans.ts'
import { spansOfTrace, type Trace } from '../../ingestion/native-trace.ts'
import type { Completion, Question } from '../../llm/model-client.ts'
import type { PreparedTry } from '../../playground/prepare-try.ts'
import type { Outcome } from '../../playground/run-try.ts'
import { tryTrace } from '../../playground/try-trace.ts'
import type { ModelUsage } from '../../spending/metered-model.ts'
import { dbWithin, type Queries } from '../../storage/db.ts'
import { readerOf } from '../../traces/storing/received-span.ts'
import type { NewCall } from '../search/search.ts'

/** An attempt at a call. */
type TracedCall = {
  experimentId: string
  number: number
  attempt: number
  kind: NewCall['kind']
  /** The candidate that answers, or that the reflection is to propose. */
  iteration: number
}

/** Always the same for an attempt, and another one for each. */
function traceIdOf({ experimentId, number, attempt }: TracedCall): string {
  return hash('sha256', `experiment\n${experimentId}\n${number}\n${attempt}`, 'hex').slice(0, 32)
}

function metadataOf({ experimentId, number, attempt, kind, iteration }: TracedCall): Record<string, unknown> {
  return {
    'touchstone.experiment.id': experimentId,
    'touchstone.experiment.call': number,
    'touchstone.experiment.attempt': attempt,
    'touchstone.experiment.kind': kind,
    'touchstone.experiment.iteration': iteration,
  }
}

/** What a model was asked for an answer, and how that ended. */
export type Tried = { prepared: PreparedTry; outcome: Outcome }

export function answerTrace(call: TracedCall, { prepared, outcome }: Tried): Trace {
  return tryTrace(prepared, outcome, traceIdOf(call), { source: 'experiment', metadata: metadataOf(call) })
}

/** What a model was asked for a proposal, and how that ended. */
export type Reflected = {
  question: Question & { model: string }
  connection: { kind: string; name: string }
  startedAt: number
  endedAt: number
  /** Undefined if it failed. */
  completion: Completion | undefined
  error: string | undefined
  usage: ModelUsage
}

/** One span: a root above it would repeat its texts. */
export function reflectionTrace(call: TracedCall, { question, completion, error, usage, ...asked }: Reflected): Trace {
  const { system, user, model, temperature, seed } = question
  const { inputTokens, outputTokens } = completion?.usage ?? {}
  return {
    traceId: traceIdOf(call),
    tags: ['experiment'],
    spans: [
      {
        spanId: 'reflection',
        name: `reflect ${model}`,
        kind: 'llm',
        startTime: timestamp(asked.startedAt),
        endTime: timestamp(asked.endedAt),
        status: error === undefined ? 'ok' : 'error',
        ...(error !== undefined && { statusMessage: error }),
        input: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        ...(completion && { output: [{ role: 'assistant', content: JSON.stringify(completion.value) }] }),
        model,
        provider: asked.connection.kind,
        ...(typeof inputTokens === 'number' && { inputTokens }),
        ...(typeof outputTokens === 'number' && { outputTokens }),
        ...(usage.costUsd !== null && usage.calls > 0 && { costUsd: usage.costUsd }),
        modelParameters: { temperature, seed },
        metadata: {
          'touchstone.source': 'experiment',
          'touchstone.experiment.connection': asked.connection.name,
          ...(completion && { 'gen_ai.response.model': completion.model }),
          'gen_ai.output.type': 'json',
          ...(usage.isCostMaximum && {
            'touchstone.experiment.cost': 'the maximum, because the provider did not report what was used',
          }),
          ...(usage.costBasis !== null && { 'touchstone.experiment.price': usage.costBasis }),
          ...metadataOf(call),
        },
      },
    ],
  }
}

type Storing = { clock: Clock; newId: NewId; ingest: Ingest; workspaceId: string; componentId: string }

/** In the transaction that ends the call. Throws an AppError if it cannot be stored, for example because of a quota. */
export async function storeCallTrace(
  tx: Queries,
  { clock, newId, ingest, workspaceId, componentId }: Storing,
  trace: Trace,
): Promise<void> {
  const spans = spansOfTrace(trace, { nowMs: clock.now(), newId })
  await ingest({ workspaceId, componentId, within: dbWithin(tx) }, readerOf(spans))
}
