import { messageType } from './otlp-messages.ts'

export type TraceAnswer = {
  status: number
  headers: Headers
  bytes: Buffer
  /** The body, read in the encoding that the answer names. */
  body: unknown
}

export type Post = {
  key?: string | undefined
  type?: string
  headers?: Record<string, string>
  path?: string
}

export const PROTOBUF = 'application/x-protobuf'
export const JSON_TYPE = 'application/json'

const response = messageType('ExportTraceServiceResponse')
const rpcStatus = messageType('RpcStatus')

/** Sends a body as an exporter would. */
export async function postTraces(url: string, body: Uint8Array | string, post: Post): Promise<TraceAnswer> {
  const { key, type, headers = {}, path = '/v1/traces' } = post
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: Buffer.from(body),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, bytes, body: readBody(answer, bytes) }
}

function readBody({ status, headers }: Response, bytes: Buffer): unknown {
  if (/protobuf/.test(headers.get('content-type') ?? '')) {
    return status === 200 ? response.decode(bytes) : rpcStatus.decode(bytes)
  }
  return JSON.parse(bytes.toString())
}
