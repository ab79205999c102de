import type { IncomingMessage } from 'node:http'
import { AppError, badRequest } from '../base/errors.ts'

export type BodyLimits = {
  bytesMax: number
  /** Is told how much there is so far, and may refuse more by throwing. */
  onSize(bytes: number): void
}

/**
 * Reads a body to its end, into the room that is given if its length was told. What is refused half-way stops being read but stays open,
 * so that it can be answered; its room is not written to any more.
 */
export function readBody(req: IncomingMessage, { bytesMax, onSize }: BodyLimits, room?: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer) => {
      const start = size
      size += chunk.length
      try {
        if (size > bytesMax) throw tooLarge(bytesMax)
        onSize(size)
        if (room && size > room.length) throw badRequest('The request body is longer than it was said to be')
      } catch (error) {
        stop()
        req.pause()
        reject(error)
        return
      }
      if (room) chunk.copy(room, start)
      else chunks.push(chunk)
    }
    const stop = () => req.removeListener('data', take)
    const endEarly = () => {
      stop()
      reject(badRequest('The request body ended early'))
    }
    req.on('data', take)
    req.on('end', () => resolve(room?.subarray(0, size) ?? joined(chunks)))
    req.on('error', endEarly)
    req.on('aborted', endEarly)
  })
}

function joined(chunks: Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

export function tooLarge(bytesMax: number): AppError {
  return new AppError(413, `The request body is larger than ${bytesMax} bytes; send it in several requests`)
}
