/**
 * What arrives of the message of a gRPC call, seen beside the library, which reports only a whole message. Needed to give memory to
 * calls by what they send: a call that sends nothing must not hold any.
 */
import { Readable } from 'node:stream'

/** Compressed flag and length, in front of every message. */
const PREFIX_BYTES = 5
const LOOK_AGAIN_MS = 20

export type Progress = {
  /** How many bytes of the message have arrived. */
  received: number
  /** How many it has; undefined if it is compressed, or too little has arrived to know. */
  length: number | undefined
}

/** The HTTP/2 stream of a call, which the library keeps to itself. Undefined if a later version of it does so in another way. */
export function streamOf(call: object): Readable | undefined {
  const stream: unknown = Reflect.get(call, 'stream')
  return stream instanceof Readable ? stream : undefined
}

/** Resolves when the first bytes are there. The library holds the stream back until it wants to read, so no event reports them. */
export async function untilBytesArrive(stream: Readable, signal: AbortSignal): Promise<void> {
  while (stream.readableLength === 0 && !stream.readableEnded && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

/** Reports progress with every piece that the library reads. */
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
