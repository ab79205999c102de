import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { readUsageDetails } from '../../src/traces/semconv/usage-details.ts'

/** The timeout of a report: many times what any span needs on a busy machine. It only makes the test fail with a name instead of hanging. */
const STUCK_AFTER_MS = 120_000

it('no span takes longer to be understood than in proportion to its length', { tags: 'deep' }, async () => {
  const worker = new Worker(new URL('./hostile-spans.ts', import.meta.url))
  let last = 'nothing'
  let limit: NodeJS.Timeout | undefined
  const ended = new Promise<string>((resolve, reject) => {
    worker.on('message', (what: string) => {
      last = what
      limit?.refresh()
      if (what === 'done') resolve(what)
    })
    worker.on('error', reject)
    limit = setTimeout(() => resolve(`stuck in ${last}`), STUCK_AFTER_MS).unref()
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
