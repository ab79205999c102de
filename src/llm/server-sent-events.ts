/** The stream is not one of events: what was read before must not count as an answer. */
export class EventStreamError extends Error {
  readonly reason: 'too long' | 'not UTF-8'

  constructor(reason: 'too long' | 'not UTF-8') {
    super(`the stream is ${reason}`)
    this.reason = reason
  }
}

/**
 * The data of server-sent events, from bytes that may be split anywhere. Fields other than `data` are ignored. The last event counts
 * without the empty line after it, which some servers omit.
 */
export async function* readEventData(
  pieces: AsyncIterable<Uint8Array>,
  { eventBytesMax, bytesMax }: { eventBytesMax: number; bytesMax: number },
): AsyncGenerator<string> {
  // Fatal, so that invalid bytes never become another text.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = ''
  let data: string[] = []
  let eventLength = 0
  let bytes = 0
  const endLine = (text: string): string | undefined => {
    const ended = text.replace(/\r$/, '')
    if (ended.startsWith('data:')) data.push(ended.slice(ended.startsWith('data: ') ? 6 : 5))
    if (ended !== '' || data.length === 0) return undefined
    const event = data.join('\n')
    data = []
    eventLength = 0
    return event
  }
  for await (const piece of pieces) {
    bytes += piece.length
    const [first = '', ...others] = decode(decoder, piece).split('\n')
    line += first
    eventLength += first.length
    for (const next of others) {
      const event = endLine(line)
      if (event !== undefined) yield event
      line = next
      eventLength += next.length
    }
    if (eventLength > eventBytesMax || bytes > bytesMax) throw new EventStreamError('too long')
  }
  endLine(line)
  const last = endLine('')
  if (last !== undefined) yield last
}

function decode(decoder: InstanceType<typeof TextDecoder>, piece: Uint8Array): string {
  try {
    return decoder.decode(piece, { stream: true })
  } catch (error) {
    if (error instanceof TypeError) throw new EventStreamError('not UTF-8')
    throw error
  }
}
