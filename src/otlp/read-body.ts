import type { IncomingMessage } from 'node:http'
import { AppError, badRequest } from '../base/errors.ts'

export type BodyLimits = {
  bytesMax: number
  /** Is told how much there is so far, and may refuse more by throwing. */
  onSize(bytes: number): void
}

/** Reads a body to its end. What is refused half-way stops being read but stays open, so that it can be answered. */
export function readBody(req: IncomingMessage, { bytesMax, onSize }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      try {
        if (size > bytesMax) throw tooLarge(bytesMax)
        onSize(size)
      } catch (error) {
        req.removeAllListeners('data')
        req.pause()
        reject(error)
      }
    })
    req.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    const endedEarly = () => reject(badRequest('The request body ended early'))
    req.on('error', endedEarly)
    req.on('aborted', endedEarly)
  })
}

export function tooLarge(bytesMax: number): AppError {
  return new AppError(413, `The request body is larger than ${bytesMax} bytes; send it in several requests`)
}
