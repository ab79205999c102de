/** Everything that providers do in the place of an answer. */
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'

export type Misbehaviour =
  | 'hang'
  | 'reset'
  | 'reset in the body'
  | 'drip'
  | '100 MB'
  | 'HTML'
  | 'invalid JSON'
  | 'wrong content type'
  | 'invalid UTF-8'
  | 'refusal'
  | 'empty choices'
  | 'not HTTP'
  | 'model not found'
  | 'context length'
  | 'no quota'
  | { content: unknown; finishReason?: string }
  /** The body as it is, with status 200. */
  | { body: string | Uint8Array; type?: string }
  /** A stream of events that is sent in these pieces, and then ends, hangs or breaks off. */
  | { pieces: readonly (string | Uint8Array)[]; end?: 'whole' | 'hang' | 'reset' }
  | { status: number; headers?: Record<string, string>; error?: Record<string, unknown> }

export async function misbehave(how: Misbehaviour, res: ServerResponse): Promise<void> {
  if (typeof how === 'string') {
    await NAMED[how](res)
    return
  }
  if ('content' in how) {
    const message = { role: 'assistant', content: how.content }
    json(res, 200, { model: 'judge-1', choices: [{ index: 0, message, finish_reason: how.finishReason ?? 'stop' }] })
    return
  }
  if ('body' in how) {
    res.writeHead(200, { 'content-type': how.type ?? 'application/json' }).end(how.body)
    return
  }
  if ('pieces' in how) {
    await sendPieces(how, res)
    return
  }
  for (const [name, value] of Object.entries(how.headers ?? {})) res.setHeader(name, value)
  json(res, how.status, { error: how.error ?? { message: 'The server says no' } })
}

async function sendPieces(
  { pieces, end = 'whole' }: Extract<Misbehaviour, { pieces: unknown }>,
  res: ServerResponse,
): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) await new Promise<void>((resolve) => res.write(piece, () => resolve()))
  if (end === 'whole') res.end()
  if (end === 'reset') res.socket?.resetAndDestroy()
}

const NAMED: Record<Extract<Misbehaviour, string>, (res: ServerResponse) => void | Promise<void>> = {
  hang: () => {},
  reset: (res) => {
    res.socket?.resetAndDestroy()
  },
  'reset in the body': (res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    res.write('{"choices":', () => res.socket?.resetAndDestroy())
  },
  drip: (res) => {
    res.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => res.write(' '), 5)
    res.on('close', () => clearInterval(timer))
  },
  '100 MB': async (res) => {
    res.writeHead(200, { 'content-type': 'application/json' })
    const pieces = Array.from({ length: 100 }, () => Buffer.alloc(1_048_576, ' '))
    // The test checks that the client does not read it to the end.
    await pipeline(pieces, res).catch(() => {})
  },
  HTML: (res) => {
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html><title>Sign in</title>')
  },
  'invalid JSON': (res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"choices": [')
  },
  'wrong content type': (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choices": []}\n\n')
  },
  'invalid UTF-8': (res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))
  },
  refusal: (res) => {
    const message = { role: 'assistant', content: null, refusal: 'I cannot help with that.' }
    json(res, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }] })
  },
  'empty choices': (res) => json(res, 200, { choices: [] }),
  'not HTTP': (res) => {
    res.socket?.end('SSH-2.0-OpenSSH_9.9\r\n')
  },
  'model not found': (res) => {
    json(res, 404, { error: { message: 'The model `judge-1` does not exist', code: 'model_not_found' } })
  },
  'context length': (res) => {
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 90000 tokens."
    json(res, 400, { error: { message, code: 'context_length_exceeded' } })
  },
  'no quota': (res) => {
    json(res, 429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } })
  },
}

function json(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
