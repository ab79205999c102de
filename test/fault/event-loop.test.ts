// @module-tag deep
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { type ServerProcess, startServer, waitFor } from '../harness/server-process.ts'
import { openTestStorage } from '../harness/test-storage.ts'

const RESOLUTION_MS = 2

/** Loaded before the program: measures how late its event loop is, and reports it on request. */
const MONITOR = `data:text/javascript,${encodeURIComponent(`
  import { monitorEventLoopDelay } from 'node:perf_hooks'
  const delay = monitorEventLoopDelay({ resolution: ${RESOLUTION_MS} })
  delay.enable()
  process.on('message', () => {
    process.send({ p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 })
    delay.reset()
  })
  process.channel.unref()`)}`

describeEngines('bulk work lets others through', (engine) => {
  it('reads get responses while 10,000 traces are linked and while 30,000 rows are reclaimed', async () => {
    const database = await createTestDatabase(engine, 'migrated')
    const server = await startServer(database.url, { nodeArguments: ['--import', MONITOR] })
    const component = await server.client.create('/components', { name: 'Large' })
    const id = await server.client.create('/components', { name: 'Read meanwhile' })
    const traceIds = Array.from({ length: 10_000 }, (_, place) => `trace-${place}`)
    const create = (name: string) => server.client.create(`/components/${component}/datasets`, { name, traceIds })
    await create('Warm')
    await readDelay(server)

    const creating = await readDuring(server, id, async () => {
      for (let part = 1; part < 3; part += 1) await create(`Part ${part}`)
    })
    const delayOfCreating = await readDelay(server)
    const storage = await openTestStorage(database.url, 'command')
    const countItems = async () =>
      storage.read
        .selectFrom('dataset_items')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
        .then(({ count }) => count)
    const reclaiming = await readDuring(server, id, async () => {
      expect((await server.client.delete(`/components/${component}`)).status).toBe(204)
      await waitFor(
        'the rows to be gone',
        async () => {
          const left = await storage.read.selectFrom('components').select('id').where('id', '=', component).execute()
          return left.length === 0 || undefined
        },
        countItems,
      )
    })
    const delayOfReclaiming = await readDelay(server)
    expect(await storage.read.selectFrom('dataset_items').select('id').limit(1).execute()).toEqual([])
    await storage.close()
    expect(creating).toBeGreaterThan(4)
    expect(reclaiming).toBeGreaterThan(4)
    console.log(
      `event loop (${engine}, each with the sampling interval of ${RESOLUTION_MS} ms): ` +
        `creating ${delayOfCreating}, ${creating} reads; reclaiming ${delayOfReclaiming}, ${reclaiming} reads`,
    )
    await server.kill()
    database.remove()
  })
})

/** Reads all the time until the work is done; answers how many reads were answered meanwhile. */
async function readDuring({ client }: ServerProcess, id: string, work: () => Promise<void>): Promise<number> {
  let isDone = false
  let reads = 0
  const reading = async () => {
    while (!isDone) {
      expect((await client.get(`/components/${id}`)).status).toBe(200)
      reads += 1
    }
  }
  await Promise.all([work().finally(() => (isDone = true)), reading(), reading()])
  return reads
}

async function readDelay({ child }: ServerProcess): Promise<string> {
  const answer = once(child, 'message')
  child.send('report')
  const [{ p50, p99, max }] = await answer
  return `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} max ${max.toFixed(1)} ms`
}
