// @module-tag deep
/** A server that is killed while spans and their log records come in, and a remapping that is killed: nothing acknowledged is lost. */
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { type LogSketch, sendLogs, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { launch, runCommand, type ServerProcess, startServer, waitFor } from '../harness/server-process.ts'
import { rounds } from '../harness/stage.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import { countRollups, readRollups } from '../traces/stored-traces.ts'

const ROUNDS = rounds({ test: 3, soak: 200 })
const SENDERS = 4

/** A request as its sender saw it: the span of a trace, or the event that belongs to it. */
type Sent = { number: number; what: 'span' | 'log'; isAnswered: boolean }

async function send(client: Client, { number, what }: Sent): Promise<void> {
  const ids = { traceId: traceIdOf(number), spanId: spanIdOf(1) }
  if (what === 'span') return sendSpans(client, [{ ...ids, attributes: { 'gen_ai.operation.name': 'chat' } }])
  const log: LogSketch = { ...ids, name: 'gen_ai.choice', body: { message: { content: `answer ${number}` } } }
  return sendLogs(client, [log])
}

async function sendUntilKilled(server: ServerProcess, round: number, killAfter: number): Promise<Sent[]> {
  const sent: Sent[] = []
  let answered = 0
  async function work(sender: number): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      const number = 0x100_0000 + (round * SENDERS + sender) * 10_000 + turn
      // By turns the one or the other comes first.
      const order = turn % 2 === 0 ? (['span', 'log'] as const) : (['log', 'span'] as const)
      for (const what of order) {
        const request = { number, what, isAnswered: false }
        sent.push(request)
        try {
          await send(server.client, request)
        } catch (error) {
          if (error instanceof TypeError) return
          throw error
        }
        request.isAnswered = true
        answered += 1
      }
    }
  }
  const killed = waitFor('enough requests', async () => answered >= killAfter || undefined).then(() => server.kill())
  await Promise.all([...Array.from({ length: SENDERS }, (_, sender) => work(sender)), killed])
  return sent
}

describeEngines('kill -9', (engine) => {
  it(`of the server loses no acknowledged event and joins none twice, ${ROUNDS} times`, async () => {
    const random = randomOfTest()
    const database = await createTestDatabase(engine, 'migrated')
    let server = await startServer(database.url)
    for (let round = 0; round < ROUNDS; round += 1) {
      const sent = await sendUntilKilled(server, round, 10 + random(60))
      server = await startServer(database.url)
      for (const request of sent) if (!request.isAnswered) await send(server.client, request)
      const bySpan = Map.groupBy(sent, ({ number }) => number)
      for (const [number, requests] of bySpan) {
        const { status, body } = await server.client.get(`/traces/${traceIdOf(number)}`)
        if (!requests.some(({ what }) => what === 'span')) expect(status).toBe(404)
        else if (requests.length === 2) {
          expect(body).toMatchObject({
            output: expect.stringContaining(`answer ${number}`),
            spans: [{ kind: 'llm', events: [{ name: 'gen_ai.choice' }] }],
          })
        }
      }
    }
    const workspaceId = String((await server.client.get('/workspace')).body.id)
    await server.kill()
    const storage = await openTestStorage(database.url)
    expect(await readRollups(storage, workspaceId)).toEqual(await countRollups(storage, workspaceId))
    await storage.close()
    database.remove()
  })

  it('of a remapping leaves whole traces, and the next one continues from there', async () => {
    const database = await createTestDatabase(engine, 'migrated')
    const server = await startServer(database.url)
    const workspaceId = String((await server.client.get('/workspace')).body.id)
    const spans = Array.from({ length: 600 }, (_, number) => ({
      traceId: traceIdOf(0x1_0000 + number),
      spanId: spanIdOf(1),
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 1 },
    }))
    await sendSpans(server.client, spans)
    const storage = await openTestStorage(database.url, 'command')
    await storage.transaction(async (tx) => {
      await tx.updateTable('spans').set({ kind: 'span', total_tokens: null, input_tokens: null }).execute()
      await tx.updateTable('traces').set({ mapping_version: 0, total_tokens: null }).execute()
      await tx.updateTable('trace_rollups').set({ tokens: 0 }).execute()
    })
    const program = { command: ['remap'], environment: { DATABASE_URL: database.url } }
    const remap = launch(program)
    await waitFor('some progress', async () => /traces\n/.test(remap.output) || undefined)
    await remap.kill()
    expect(await readRollups(storage, workspaceId)).toEqual(await countRollups(storage, workspaceId))
    expect(await runCommand(['remap'], program)).toMatchObject({ code: 0 })
    const { body } = await server.client.get('/traces/stats?days_back=365')
    expect(body).toMatchObject({ totalTraces: 600, totalTokens: 600 })
    const kinds = await storage.read.selectFrom('spans').select('kind').distinct().execute()
    expect(kinds).toEqual([{ kind: 'llm' }])
    expect(await readRollups(storage, workspaceId)).toEqual(await countRollups(storage, workspaceId))
    await storage.close()
    await server.kill()
    database.remove()
  })
})
