import { ConnectionError } from './sdk-errors.ts'

export interface ServerEvent {
  event: string
  data: string
}

/** Reads server-sent events as they arrive. A stream that is cut off throws a `ConnectionError`. */
export async function* readServerEvents(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = response.body?.getReader()
  if (!reader) return
  const cancel = () => void reader.cancel().catch(() => {}) // The stream may have ended already; nothing is left to do.
  signal?.addEventListener('abort', cancel, { once: true })
  const decoder = new TextDecoder()
  let unread = ''
  try {
    while (true) {
      signal?.throwIfAborted()
      const { done, value } = await readChunk(reader)
      signal?.throwIfAborted()
      if (done) return
      const blocks = (unread + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/)
      unread = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) yield event
      }
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read()
  } catch {
    throw new ConnectionError('The stream of events was closed by the connection.')
  }
}

/** Comments, which keep the connection open, are no events. */
function parseEvent(block: string): ServerEvent | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  return data.length > 0 || event !== 'message' ? { event, data: data.join('\n') } : undefined
}
