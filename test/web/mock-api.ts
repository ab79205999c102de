/** Responds to `fetch` as the described API would. A request or a response that the description forbids fails the test. */
import { vi } from 'vitest'
import { buildExample, type DescribedOperation, findMismatch, operations } from './api-description.ts'
import type { Schema } from './openapi-types.ts'

interface ApiRequest {
  /** As in the description: "GET /components/{componentId}". */
  name: string
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  applicationId: string | null
  idempotencyKey: string | null
}

/** The body of a successful response, or a whole response; also one that comes later, or depends on the request. */
type Responder = object | null | ((request: ApiRequest) => object | null | Promise<object | null>)

let responders = new Map<string, Responder>()
let forced = new Map<string, () => Response>()
let received: { request: ApiRequest; signal: AbortSignal }[] = []
let problems: string[] = []

export function resetMockApi(): void {
  responders = new Map()
  forced = new Map()
  received = []
  problems = []
  liveStreams = new Set()
  respondWithPage = () => new Response('')
}

/** Sets what an operation responds with from now on. Without it, the response is a minimal example. */
export function onRequest(name: string, responder: Responder): void {
  if (!operations.some((operation) => operation.name === name)) throw new Error(`The API has no operation ${name}`)
  responders.set(name, responder)
}

/**
 * Makes an operation fail from now on, also with a status that its description does not have: proxies do not read it. Undefined ends
 * that.
 */
export function forceFailure(name: string, respond: (() => Response) | undefined): void {
  if (respond) forced.set(name, respond)
  else forced.delete(name)
}

/** Without those that were cancelled: in strict mode, React starts every page twice. */
export function requestsOf(name: string): ApiRequest[] {
  return received
    .filter(({ request, signal }) => request.name === name && !signal.aborted)
    .map(({ request }) => request)
}

/** Throws if a request or a response did not match the description. */
export function expectDescribed(): void {
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

export function failed(status: number, error: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers: { 'X-Request-Id': 'req-1', ...headers } })
}

/** For a server that cannot be reached. */
export function networkFailure(): never {
  throw new TypeError('Failed to fetch')
}

/** Notifies the page of changes of these topics, once it listens. */
export async function sendLiveEvent(topics: string[]): Promise<void> {
  await vi.waitUntil(() => liveStreams.size > 0, { timeout: 60_000 })
  for (const stream of liveStreams) stream.enqueue(liveEvent('changed', topics))
}

const LIVE_TOPICS = ['traces', 'runs', 'evaluations', 'annotations', 'decisions']

let liveStreams = new Set<ReadableStreamDefaultController<Uint8Array>>()

function liveEvent(name: string, topics: string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify({ topics })}\n\n`)
}

/** Lasts until the page closes it. */
function openLiveStream(signal: AbortSignal): Response {
  signal.throwIfAborted()
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      stream.enqueue(liveEvent('ready', LIVE_TOPICS))
      liveStreams.add(stream)
      signal.addEventListener('abort', () => {
        liveStreams.delete(stream)
        stream.error(signal.reason)
      })
    },
  })
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
}

/** The page that loads the interface, by which the interface checks whether the server responds. */
export function onPageRequest(respond: () => Response): void {
  respondWithPage = respond
}

let respondWithPage = () => new Response('')

export async function mockFetch(sent: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(sent.url)
  if (pathname === '/index.html') return respondWithPage()
  const { method } = sent
  const operation = operations.find((known) => known.method === method && known.pattern.test(pathname))
  if (!operation) return report(`${method} ${pathname} is not in the description of the API.`)
  const values = operation.pattern.exec(pathname)?.slice(1).map(decodeURIComponent) ?? []
  const request = {
    name: operation.name,
    params: Object.fromEntries(operation.parameterNames.map((name, index) => [name, values[index] ?? ''])),
    query: Object.fromEntries(searchParams),
    body: sent.body ? await readBody(sent.clone()) : undefined,
    applicationId: sent.headers.get('X-AI-Application-Id'),
    idempotencyKey: sent.headers.get('Idempotency-Key'),
  }
  received.push({ request, signal: sent.signal })
  checkRequest(operation, request)
  const failure = forced.get(operation.name)
  if (failure) return failure()
  const responder = responders.get(operation.name)
  if (operation.name === 'GET /events' && !responder) return openLiveStream(sent.signal)
  const given = typeof responder === 'function' ? await responder(request) : await responder
  const response = given instanceof Response ? given.clone() : succeed(operation, given)
  await checkResponse(operation, response.clone())
  return response
}

/** JSON, or the text of a file. */
function readBody(sent: Request): Promise<unknown> {
  return /csv|jsonl|ndjson/.test(sent.headers.get('Content-Type') ?? '') ? sent.text() : sent.json()
}

function checkRequest(operation: DescribedOperation, { params, query, body, applicationId }: ApiRequest): void {
  const forbid = (part: string, mismatch: string | undefined) =>
    mismatch && report(`${operation.name} got ${part} that the description does not allow: ${mismatch}.`)
  forbid('a path', findMismatch(parametersSchema(operation, 'path'), { ...params }, 'fromText'))
  forbid('a query', findMismatch(parametersSchema(operation, 'query'), { ...query }, 'fromText'))
  const schema = operation.requestBody?.content?.['application/json']?.schema
  if (schema) forbid('a body', findMismatch(schema, body ?? null))
  else if (body !== undefined && !operation.requestBody) forbid('a body', 'it has none')
  const requiresApplication = operation.security?.some(({ session, application }) => session && application)
  if (requiresApplication && !applicationId) report(`${operation.name} requires the header X-AI-Application-Id.`)
}

function parametersSchema(operation: DescribedOperation, location: 'path' | 'query'): Schema {
  const parameters = operation.parameters?.filter((parameter) => parameter.in === location) ?? []
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

function succeed(operation: DescribedOperation, body: object | null | undefined): Response {
  const status = Number(Object.keys(operation.responses).find((known) => known.startsWith('2')))
  const schema = operation.responses[status]?.content?.['application/json']?.schema
  if (!schema) return new Response(null, { status })
  return Response.json(body === undefined ? buildExample(schema) : body, { status })
}

async function checkResponse(operation: DescribedOperation, response: Response): Promise<void> {
  const declared = operation.responses[response.status]
  if (!declared) return void report(`${operation.name} cannot respond with status ${response.status}.`)
  const schema = declared.content?.['application/json']?.schema
  const mismatch = schema && findMismatch(schema, await response.json())
  if (mismatch) report(`${operation.name} cannot respond with ${response.status} and this body: ${mismatch}.`)
}

function report(problem: string): Response {
  problems.push(problem)
  return failed(503, problem)
}
