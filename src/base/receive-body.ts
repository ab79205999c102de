import type { IncomingMessage } from 'node:http'
import type { BodyReservation } from './body-budget.ts'
import { type AppError, badRequest } from './errors.ts'

export type Receiving = {
  bytesMax: number
  tooLarge(bytesMax: number): AppError
  reservation: BodyReservation
  /** Returns the buffer for a body of declared length; called when the first bytes arrive. */
  buffer?: () => Buffer | undefined
}

/**
 * Reads a body to its end. If it is rejected before, reading stops but the connection stays open for the response, and
 * nothing more is written to the buffer.
 */
export function receiveBody(req: IncomingMessage, receiving: Receiving): Promise<Buffer> {
  const { bytesMax, reservation } = receiving
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let buffer: Buffer | undefined
    let size = 0
    const fail = (error: unknown) => {
      req.removeListener('data', take)
      req.pause()
      // The other listeners last as long as the connection, and with them what they could use.
      chunks.length = 0
      buffer = undefined
      reject(error)
    }
    const take = (chunk: Buffer) => {
      const start = size
      size += chunk.length
      try {
        if (size > bytesMax) throw receiving.tooLarge(bytesMax)
        if (start === 0) buffer = receiving.buffer?.()
        if (buffer && size > buffer.length) throw badRequest('The request body is longer than it was said to be')
        reservation.resize(Math.max(size, buffer?.length ?? 0))
      } catch (error) {
        fail(error)
        return
      }
      if (buffer) chunk.copy(buffer, start)
      else chunks.push(chunk)
    }
    const endEarly = () => {
      req.removeListener('data', take)
      reject(badRequest('The request body ended early'))
    }
    reservation.onDropped(fail)
    req.on('data', take)
    req.on('end', () => {
      reservation.complete()
      resolve(buffer?.subarray(0, size) ?? joined(chunks))
    })
    req.on('error', endEarly)
    req.on('aborted', endEarly)
  })
}

function joined(chunks: Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}
