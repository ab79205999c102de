import { type Clock, elapsedMs } from '../base/clock.ts'
import { AppError, conflict, unavailable } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import type { Ingest } from '../ingestion/ingest-spans.ts'
import { spansOfTrace } from '../ingestion/native-trace.ts'
import { NotSentError } from '../llm/host-limits.ts'
import { BudgetError } from '../spending/ledger.ts'
import type { ModelUsage } from '../spending/metered-model.ts'
import { type ModelDeps, openModelSession } from '../spending/model-session.ts'
import type { Db } from '../storage/db.ts'
import { readerOf } from '../traces/storing/received-span.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { checkAnswer } from './check-answer.ts'
import { toTriedMessage } from './continued-messages.ts'
import { EventQueue } from './event-queue.ts'
import type { PreparedTry } from './prepare-try.ts'
import { type Outcome, runTry, type TryEvent } from './run-try.ts'
import type { TryEnd, TryStart } from './try-schemas.ts'
import { tryTrace } from './try-trace.ts'

export type PlaygroundDeps = ModelDeps & { ingest: Ingest; quotas: Quotas; log: Logger }

/** Of one call: a long answer of a slow model. */
const TIMEOUT_MS = 300_000

type StreamedEvent =
  | TryEvent
  | { name: 'start'; data: TryStart }
  | { name: 'waiting'; data: { summary: string } }
  | { name: 'end'; data: TryEnd }

export type StartedTry = { events: EventQueue<StreamedEvent>; stop(): void }

export type Playground = PlaygroundDeps & {
  /** Resolves when the cost of the call is reserved; throws 409 if a limit leaves nothing for it. */
  start(context: Pick<Context, 'db' | 'clock' | 'newId'>, by: Principal, of: Started): Promise<StartedTry>
  /** Stops the tries that run, and waits until they are stored. */
  close(): Promise<void>
}

type Started = { componentId: string; prepared: PreparedTry }
type Trying = Started & Pick<Context, 'newId'> & { db: Db; clock: Clock; by: Principal }

export function createPlayground({
  timeoutMs = TIMEOUT_MS,
  ...shared
}: PlaygroundDeps & { timeoutMs: number | undefined }): Playground {
  const deps = { ...shared, callTimeoutMs: timeoutMs }
  const closing = new AbortController()
  const running = new Set<Promise<void>>()

  async function start(
    context: Pick<Context, 'db' | 'clock' | 'newId'>,
    by: Principal,
    of: Started,
  ): Promise<StartedTry> {
    if (closing.signal.aborted) throw unavailable('The server is shutting down')
    const { prepared } = of
    const events = new EventQueue<StreamedEvent>()
    const leaving = new AbortController()
    const signal = AbortSignal.any([leaving.signal, closing.signal])
    const reserved = Promise.withResolvers<void>()
    const trying = { ...context, ...of, by }
    const work = run(trying, { events, signal, onReserved: reserved.resolve }).catch((error: unknown) => {
      // Does nothing once it is resolved.
      reserved.reject(error)
      if (!(error instanceof BudgetError || error instanceof NotSentError || error instanceof AppError))
        deps.log.error({ err: error }, 'a try of a prompt failed')
    })
    running.add(work)
    void work.finally(() => {
      running.delete(work)
      events.end()
    })
    const { provider, request, notices, toolAnswers } = prepared
    const { model, parameters } = request
    events.push({ name: 'start', data: { provider, model, maxTokens: parameters.maxTokens, toolAnswers, notices } })
    await reserved.promise.catch((error: unknown) => {
      throw error instanceof BudgetError ? conflict(error.message) : error
    })
    return { events, stop: () => leaving.abort() }
  }

  type Progress = { events: EventQueue<StreamedEvent>; signal: AbortSignal; onReserved(): void }

  async function run(trying: Trying, { events, signal, onReserved }: Progress): Promise<void> {
    const { db, clock, by, prepared } = trying
    const { source } = prepared
    const { workspaceId, userId } = by
    const session = await openModelSession({ db, workspaceId, clock }, deps, {
      source,
      kind: 'playground',
      owner: userId,
      hardStop: signal,
      softStop: signal,
      onWait: () => events.push({ name: 'waiting', data: { summary: whyWaiting(prepared) } }),
    })
    const { client } = session
    const since = elapsedMs(clock)
    const stream: typeof client.stream = (request) => {
      onReserved()
      return client.stream(request)
    }
    const emit = (event: TryEvent) => events.push(event)
    const watched = { ...session, client: { ...client, stream } }
    const outcome = await runTry(prepared, { session: watched, clock, signal, emit })
    const durationMs = Math.round(elapsedMs(clock) - since)
    events.push({ name: 'end', data: await endOf(trying, outcome, durationMs) })
  }

  async function endOf(trying: Trying, outcome: Outcome, durationMs: number): Promise<TryEnd> {
    const { by, prepared } = trying
    const { calls, openCalls, conversation, text, firstTextMs, failedBy: _, ...end } = outcome
    const { traceId, notices } = await storeTrace(trying, outcome)
    const isContinuable = openCalls.length > 0 && prepared.toolAnswers !== 'none'
    const { responseFormat } = prepared.request
    const isAnswer = end.reason === 'answered' || end.reason === 'cutOff'
    return {
      ...end,
      text,
      toolCalls: [...openCalls],
      conversation: isContinuable ? conversation.flatMap(toTriedMessage) : null,
      schema: isAnswer ? await checkAnswer(by.workspaceId, responseFormat, text) : null,
      model: calls.at(-1)?.result.model ?? prepared.request.model,
      calls: calls.length,
      usage: sumUsage(calls.map(({ result }) => result.usage)),
      ...costOf(calls.map(({ usage }) => usage)),
      durationMs,
      firstTextMs,
      traceId,
      notices: [...prepared.notices, ...notices],
    }
  }

  /** What was paid for is shown, also if it cannot be stored. */
  async function storeTrace(
    { db, clock, newId, by, componentId, prepared }: Trying,
    outcome: Outcome,
  ): Promise<{ traceId: string | null; notices: string[] }> {
    const trace = tryTrace(prepared, outcome, newId().replaceAll('-', ''))
    try {
      const spans = spansOfTrace(trace, { nowMs: clock.now(), newId })
      const { workspaceId } = by
      const { traces } = await deps.ingest({ workspaceId, componentId, within: db }, readerOf(spans))
      return { traceId: traces[0]?.id ?? null, notices: [] }
    } catch (error) {
      deps.log.warn({ err: error }, 'the trace of a try could not be stored')
      const reason = error instanceof AppError ? error.message : 'The server failed to store it'
      return { traceId: null, notices: [`There is no trace of this try: ${reason}`] }
    }
  }

  return {
    ...deps,
    start,
    async close() {
      closing.abort()
      await Promise.all(running)
    },
  }
}

function whyWaiting({ provider, source }: PreparedTry): string {
  const { concurrency, requestsPerMinute } = source.connection
  const rate = requestsPerMinute === null ? '' : `, and ${requestsPerMinute} a minute`
  const calls = concurrency === 1 ? '1 call' : `${concurrency} calls`
  return `${provider} takes ${calls} at a time${rate}; this one waits for its turn`
}

/** The sum of what is known; null if nothing is. */
function sumUsage(usages: readonly (Partial<TryEnd['usage']> | undefined)[]): TryEnd['usage'] {
  const sumOf = (key: keyof TryEnd['usage']) => {
    const known = usages.map((usage) => usage?.[key]).filter((count) => typeof count === 'number')
    return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0)
  }
  return {
    inputTokens: sumOf('inputTokens'),
    outputTokens: sumOf('outputTokens'),
    cachedTokens: sumOf('cachedTokens'),
    cacheWriteTokens: sumOf('cacheWriteTokens'),
    reasoningTokens: sumOf('reasoningTokens'),
  }
}

function costOf(usages: readonly ModelUsage[]): Pick<TryEnd, 'costUsd' | 'costBasis' | 'isCostMaximum'> {
  const isUnknown = usages.some(({ costUsd }) => costUsd === null)
  return {
    costUsd: isUnknown ? null : usages.reduce((sum, { spentUsd }) => sum + spentUsd, 0),
    costBasis: usages.findLast(({ costBasis }) => costBasis !== null)?.costBasis ?? null,
    isCostMaximum: usages.some(({ isCostMaximum }) => isCostMaximum),
  }
}
