import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { readUsageDetails } from '../../src/traces/semconv/usage-details.ts'

/** Several times what all of it takes on a busy machine; only there to fail instead of hanging. */
const LIMIT_MS = 50_000

it('no span takes longer to be understood than in proportion to its length', async () => {
  const worker = new Worker(new URL('./hostile-spans.ts', import.meta.url))
  let last = 'nothing'
  const ended = new Promise<string>((resolve, reject) => {
    worker.on('message', (what: string) => {
      last = what
      if (what === 'done') resolve(what)
    })
    worker.on('error', reject)
    setTimeout(() => resolve(`stuck in ${last}`), LIMIT_MS).unref()
  })
  expect(await ended).toBe('done')
  await worker.terminate()
})

it('a name that is too long for a count is none', () => {
  expect(readUsageDetails({ input: 1, [`input${'_'.repeat(100)}`]: 5 })).toMatchObject({ input: 1 })
  expect(readUsageDetails({ cache_creation_input_tokens: 2, write_cache: 3 })).toMatchObject({
    input: 5,
    cacheWrite: 2,
    cacheRead: 3,
  })
})
