import { request } from 'node:http'

export type ReceivedBytes = { status: number; headers: Record<string, unknown>; bytes: Buffer }

/** What a server sends over the wire, still compressed: the client of the tests does not accept compressed responses. */
export function receiveBytes(url: string, headers: Record<string, string>, method = 'GET'): Promise<ReceivedBytes> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(pieces) }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}
