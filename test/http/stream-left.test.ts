import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { streamedWhileRead } from '../../src/http/route.ts'

it('a stream that has nothing to send learns at once that its client has left', async () => {
  const { body } = streamedWhileRead('text/event-stream', async function* (_, left) {
    yield 'start'
    if (!left.aborted) await once(left, 'abort')
  })
  if (!(body instanceof Readable)) throw new Error('the body is no stream')
  body.resume()
  await once(body, 'data')
  body.destroy()
  await once(body, 'close')
  expect(body.destroyed).toBe(true)
})
