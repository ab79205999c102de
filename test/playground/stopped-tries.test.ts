import { describe, expect, it } from 'vitest'
import { EventQueue } from '../../src/playground/event-queue.ts'
import { tryEvents } from '../../src/playground/try-events.ts'
import { browserWith } from '../conformance/team.ts'
import { createTestDatabase, describeEachEngine, describeEngines } from '../harness/each-engine.ts'
import { startTestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'
import { RECORDED } from '../models/recorded-answers.ts'
import { CONTENT, type Playground, price, seedPlayground, sendTry, spentToday, tried, VARIABLES } from './trying.ts'

/** The first words of an answer, as the events of a stream. */
const BEGINNING = `${RECORDED.openai.text.events.split('\n\n').slice(0, 2).join('\n\n')}\n\n`
/** 8,192 tokens at $100 per million. */
const MAXIMUM = 0.8192

/** A try whose text has begun, and its stream. */
async function beginTry(playground: Playground) {
  playground.server.misbehave({ pieces: [BEGINNING], end: 'hang' })
  const response = await sendTry(playground, { content: CONTENT, variables: VARIABLES })
  const reader = response.body?.getReader()
  let read = ''
  const readUntil = async (text: string) => {
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
      read += Buffer.from(value ?? []).toString()
      if (done || read.includes(text)) return { read, isOver: done }
    }
  }
  await readUntil('event: text')
  return { readUntil }
}

describeEachEngine('a try', (app) => {
  it.each(['reset', 'whole'] as const)(
    'whose stream breaks off (%s) fails, is charged at its maximum, and shows what came',
    async (end) => {
      const playground = await seedPlayground(app())
      await price(playground)
      playground.server.misbehave({ pieces: [BEGINNING], end })
      const { end: ended } = await tried(playground)
      expect(ended).toMatchObject({
        reason: 'failed',
        isTransient: true,
        text: 'Grüße, ',
        isCostMaximum: true,
        costUsd: MAXIMUM,
      })
      expect(await spentToday(playground)).toMatchObject({ usd: MAXIMUM, reservedUsd: 0 })
    },
  )

  it('ends when its key is revoked, is charged and stored', async () => {
    const playground = await seedPlayground(app())
    await price(playground)
    const admin = await browserWith(app(), playground.workspaceId, 'admin')
    const { body } = await admin.post('/api-keys', { name: 'soon revoked' })
    const key = String(body.key)
    const { readUntil } = await beginTry({ ...playground, key })
    expect((await admin.delete(`/api-keys/${body.id}`)).status).toBe(204)
    expect(await readUntil('event: never')).toMatchObject({ isOver: true })
    await until(async () => expect(await playground.client.list('/traces?q=tag:playground')).toHaveLength(1))
    expect(await spentToday(playground)).toMatchObject({ usd: MAXIMUM, reservedUsd: 0 })
  })
})

describeEngines('a server that shuts down', (engine) => {
  it('ends its tries with a message, charges and stores them', async () => {
    const database = await createTestDatabase(engine, 'migrated')
    try {
      const app = await startTestApp(database.url)
      const playground = await seedPlayground(app)
      await price(playground)
      const { readUntil } = await beginTry(playground)
      const [, { read }] = await Promise.all([app.close(), readUntil('event: end')])
      expect(read).toContain('models was canceled because the work was stopped')
      const again = await startTestApp(database.url)
      const client = again.withKey(playground.key)
      expect(await client.list('/traces?q=tag:playground')).toHaveLength(1)
      expect(await spentToday({ ...playground, client })).toMatchObject({ usd: MAXIMUM, reservedUsd: 0, calls: 1 })
      await again.close()
    } finally {
      database.remove()
    }
  })
})

describe('the stream of a try', () => {
  it('stops the call for a client that leaves before it reads anything', async () => {
    const leaving = new AbortController()
    let stopped = 0
    const started = { events: new EventQueue<never>(), stop: () => (stopped += 1) }
    const reader = { clock: { now: () => 0 }, isStillAllowed: async () => true, left: leaving.signal }
    const events = tryEvents(started, reader)
    leaving.abort()
    await events.return(undefined)
    expect(stopped).toBe(1)
  })
})
