/**
 * Observes how much of a gRPC message has arrived; the library reports only complete messages. Memory is assigned to calls by what they
 * send, so that an idle call uses none.
 */
import { Readable } from 'node:stream'

/** Compressed flag and length, at the start of every message. */
const PREFIX_BYTES = 5
const POLL_MS = 20

export type Progress = {
  /** How many bytes of the message have arrived. */
  received: number
  /** The total number of bytes; undefined if the message is compressed or its length has not arrived yet. */
  length: number | undefined
}

/** The HTTP/2 stream of a call, a private field of the library. Undefined if a later version of the library has no such field. */
export function streamOf(call: object): Readable | undefined {
  const stream: unknown = Reflect.get(call, 'stream')
  return stream instanceof Readable ? stream : undefined
}

/** Resolves when the first bytes have arrived. Polls, because the library pauses the stream until it reads, so no event is emitted. */
export async function untilBytesArrive(stream: Readable, signal: AbortSignal): Promise<void> {
  while (stream.readableLength === 0 && !stream.readableEnded && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Reports progress with every chunk that the library reads. */
export function watchMessage(stream: Readable, report: (progress: Progress) => void): void {
  let prefix = Buffer.alloc(0)
  let received = 0
  let length: number | undefined
  stream.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (prefix.length < PREFIX_BYTES) {
      prefix = Buffer.concat([prefix, chunk.subarray(0, PREFIX_BYTES - prefix.length)])
      if (prefix.length === PREFIX_BYTES && prefix[0] === 0) length = prefix.readUInt32BE(1)
    }
    report({ received, length })
  })
}
