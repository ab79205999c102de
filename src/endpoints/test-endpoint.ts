import { AppError, notFound } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import type { Principal } from '../base/principal.ts'
import { shortened, storableText } from '../base/text.ts'
import type { PrepareContext } from '../http/route.ts'
import type { Sealer } from '../secrets/sealed-secret.ts'
import { pathsIn } from './body-template.ts'
import { type CallDeps, type CallResult, callEndpoint } from './call-endpoint.ts'
import { containsHeader } from './endpoint-headers.ts'
import type { EndpointTest, TestEndpoint } from './endpoint-schemas.ts'
import { findEndpoint, type OpenEndpoint } from './find-endpoint.ts'
import { assertPointer } from './json-pointer.ts'

/** Proxies commonly end a request after a minute. */
const TIMEOUT_MS_MAX = 55_000
/** For a turn: the limits of the endpoint hold for tests, too. */
const WAIT_MS_MAX = 10_000
const ANSWER_LENGTH_MAX = 2_000

export type EndpointDeps = Omit<CallDeps, 'clock'> & { secrets: Sealer }

/** Calls the endpoint once, as a trial does, but without a trace. A failed call is a test result; only a missing endpoint is an error. */
export async function testEndpoint(
  { db, clock, secrets, ...deps }: Pick<PrepareContext, 'db' | 'clock'> & EndpointDeps,
  { workspaceId, userId }: Principal,
  { endpointId, body, input, output = '' }: TestEndpoint & { endpointId: string },
): Promise<EndpointTest> {
  invariant(!db.inTransaction, 'a transaction must not wait for a service')
  pathsIn(body)
  assertPointer(output)
  let endpoint: OpenEndpoint | undefined
  try {
    endpoint = await findEndpoint(db.read, secrets, workspaceId, { column: 'id', value: endpointId })
  } catch (error) {
    // Headers that cannot be decrypted are a test result, too.
    if (error instanceof AppError && error.status === 409) return failed(error.message)
    throw error
  }
  if (!endpoint) throw notFound('Endpoint')
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(), WAIT_MS_MAX)
  const result = await callEndpoint(
    { clock, ...deps },
    {
      endpoint: { ...endpoint, timeoutMs: Math.min(endpoint.timeoutMs, TIMEOUT_MS_MAX) },
      body,
      input,
      output,
      application: workspaceId,
      owner: `test by ${userId}`,
      signal: waiting.signal,
      onStart: () => clearTimeout(timer),
    },
  )
  clearTimeout(timer)
  if (waiting.signal.aborted) {
    return failed(`${endpoint.name} was not called: its limits left no turn within ${WAIT_MS_MAX / 1_000} s`)
  }
  return testResult(endpoint, result)
}

function failed(summary: string): EndpointTest {
  return { ok: false, summary, status: null, durationMs: null, answer: null, output: null }
}

function testResult(endpoint: OpenEndpoint, result: CallResult): EndpointTest {
  const { status, durationMs } = result
  const answer = beginningOf(endpoint, result)
  if (!result.isDone) return { ...failed(result.message), status, durationMs, answer }
  const summary = `${endpoint.name} returned ${result.status} after ${result.durationMs} ms`
  return { ok: true, summary, status, durationMs, answer, output: result.output }
}

/** Null without an answer, and for one that repeats a header. */
function beginningOf({ headers }: OpenEndpoint, { answer }: CallResult): string | null {
  if (!answer || answer.body === 'too-long') return null
  const text = storableText(answer.body.subarray(0, 4 * ANSWER_LENGTH_MAX).toString('utf8'))
  return containsHeader(text, headers) ? null : shortened(text, ANSWER_LENGTH_MAX)
}
