/**
 * Calls a service of the user: one POST with a body made from a template, and the output found in the answer by a JSON Pointer.
 *
 * One call is one attempt: the caller decides by `isTransient` whether and when to retry. It waits for its turn at the endpoint and at its
 * host, and a `Retry-After` of the answer delays all calls of the endpoint. A failure is a result and no error: its message is written for
 * users and contains no header of the endpoint.
 */
import { type Clock, elapsedMs } from '../base/clock.ts'
import { AppError } from '../base/errors.ts'
import { VERSION } from '../base/version.ts'
import type { Egress } from '../egress/egress-guard.ts'
import { type HostLimits, inTurns } from '../llm/host-limits.ts'
import { beginCall } from '../llm/model-call.ts'
import { ModelError } from '../llm/model-client.ts'
import { exchange, type ProviderResponse } from '../llm/model-exchange.ts'
import { unreachable } from '../llm/provider-errors.ts'
import { renderBody } from './body-template.ts'
import type { OpenEndpoint } from './find-endpoint.ts'
import { assertPointer } from './json-pointer.ts'
import { type Failure, readAnswer } from './read-answer.ts'

export const ANSWER_BYTES_MAX = 1_048_576

export type CallDeps = { egress: Egress; hostLimits: HostLimits; clock: Clock }

export type EndpointCall = {
  endpoint: OpenEndpoint
  /** JSON with placeholders: see `renderBody`. An invalid one is a permanent failure, as is an invalid pointer. */
  body: unknown
  /** The input of the item. */
  input: unknown
  /** A JSON Pointer to the output. */
  output: string
  /** The span of the call, so that the spans of the service join its trace: ids in lower-case hexadecimal digits. */
  span?: { traceId: string; spanId: string }
  /** The application, and what sends the call, such as a trial: they take turns. */
  application: string
  owner: string
  /** Stops waiting and calling. */
  signal: AbortSignal
  /** Called when it is the turn of the call, which waits for it. If it throws, nothing is sent. */
  onStart?: () => void | Promise<void>
}

/** `answer` is what the service returned, unchecked: it may repeat a header, so it must not be stored or shown as it is. */
export type CallResult =
  | { isDone: true; output: unknown; status: number; durationMs: number; answer: ProviderResponse }
  | (Failure & {
      isDone: false
      /** Null without an answer. */
      status: number | null
      /** Without the time that the call waited for its turn; null if it was not sent. */
      durationMs: number | null
      answer: ProviderResponse | undefined
    })

export async function callEndpoint(deps: CallDeps, call: EndpointCall): Promise<CallResult> {
  const { endpoint, signal } = call
  const { concurrency, requestsPerMinute } = endpoint
  const body = renderedBody(call)
  if (!body.isRendered) return notSent(body.message, 'permanent')
  const url = new URL(endpoint.baseUrl)
  const turn = {
    connection: `endpoint ${endpoint.id}`,
    host: url.host,
    application: call.application,
    owner: call.owner,
    limits: { concurrency, requestsPerMinute },
    signal,
  }
  try {
    return await inTurns(deps.hostLimits, turn, async (pause) => {
      await call.onStart?.()
      const result = await send(deps, call, { url, body: body.text })
      if (!result.isDone && result.retryAfterMs !== undefined) pause(result.retryAfterMs)
      return result
    })
  } catch (error) {
    // The reason of the abort signal: sending throws nothing.
    if (!signal.aborted) throw error
    return notSent(`${endpoint.name} was not called, because the work was stopped`, 'transient')
  }
}

function renderedBody({ body, input, output }: EndpointCall) {
  try {
    assertPointer(output)
    return { isRendered: true, text: JSON.stringify(renderBody(body, input)) } as const
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { isRendered: false, message: error.message } as const
  }
}

function notSent(message: string, kind: 'transient' | 'permanent'): CallResult {
  return {
    isDone: false,
    isTransient: kind === 'transient',
    message,
    status: null,
    durationMs: null,
    answer: undefined,
  }
}

async function send(
  { egress, clock }: CallDeps,
  { endpoint, span, output, signal }: EndpointCall,
  { url, body }: { url: URL; body: string },
): Promise<CallResult> {
  const { name, headers, timeoutMs } = endpoint
  const startedAt = elapsedMs(clock)
  const running = beginCall({ name, timeoutMs, signals: [signal] })
  try {
    const answer = await running.orAborted(
      exchange({
        url,
        agent: egress.agentFor(url),
        headers: {
          accept: 'application/json',
          'user-agent': `touchstone/${VERSION}`,
          ...headers,
          'content-type': 'application/json',
          ...(span && { traceparent: `00-${span.traceId}-${span.spanId}-01` }),
        },
        body,
        responseBytesMax: ANSWER_BYTES_MAX,
        signal: running.signal,
      }),
    )
    const durationMs = Math.round(elapsedMs(clock) - startedAt)
    const read = readAnswer(endpoint, answer, { output, now: clock.now() })
    return { ...read, status: answer.status, durationMs, answer }
  } catch (error) {
    const { kind, message, isUnavailable } = error instanceof ModelError ? error : unreachable(name, error)
    const isSent = !(error instanceof AppError)
    return {
      isDone: false,
      isTransient: kind === 'transient',
      ...(isUnavailable && { isUnavailable }),
      message,
      status: null,
      durationMs: isSent ? Math.round(elapsedMs(clock) - startedAt) : null,
      answer: undefined,
    }
  } finally {
    running.end()
  }
}
