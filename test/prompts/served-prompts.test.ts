// @module-tag sql
import { describe, expect, it, onTestFinished } from 'vitest'
import { servedPromptEvents } from '../../src/prompts/served-prompt-events.ts'
import { expectError } from '../conformance/answer-forms.ts'
import { createTestDatabase, describeEachEngine } from '../harness/each-engine.ts'
import { eventsOf } from '../harness/event-stream.ts'
import { rounds } from '../harness/stage.ts'
import { startTestApp } from '../harness/test-app.ts'
import { VECTORS } from './prompt-vectors.ts'
import { contentOf, move, type SeededPrompt, saveText, saveTexts, seedPrompt } from './seed-prompt.ts'

describeEachEngine('GET …/served-prompts/{name}', (app) => {
  it('200 returns the splits of the label with whole versions, in their order', async () => {
    const prompt = await seedPrompt(app())
    const { client, path, served, promptId } = prompt
    await saveTexts(prompt, 2)
    await move(prompt, 'production', [
      [2, 10],
      [1, 90],
    ])
    const versions = await Promise.all([2, 1].map((number) => client.get(`${path}/versions/${number}`)))
    const { status, body, headers } = await client.get(served)
    expect(status).toBe(200)
    expect(body).toEqual({
      name: 'answer',
      label: 'production',
      promptId,
      change: 1,
      seed: 1,
      splits: [
        { weight: 10, version: versions[0]?.body },
        { weight: 90, version: versions[1]?.body },
      ],
    })
    const { freshSeconds } = VECTORS.cache
    expect(headers.get('cache-control')).toBe(`private, max-age=${freshSeconds}, stale-if-error=86400`)
    expect(headers.get('etag')).toMatch(/^"1\.[\w-]{22}"$/)
    expect((await client.get(`${served}?label=production`)).body).toEqual(body)
  })

  it('finds a prompt whose name has a slash', async () => {
    const { client, componentId } = await seedPrompt(app())
    const promptId = await client.create(`/components/${componentId}/prompts`, { name: 'team/answer' })
    const path = `/components/${componentId}/prompts/${promptId}`
    await client.post(`${path}/versions`, { content: contentOf('a'), labels: ['production'] })
    const { status, body } = await client.get(`/components/${componentId}/served-prompts/team%2Fanswer`)
    expect([status, body.name]).toEqual([200, 'team/answer'])
  })

  it('304 without a body for the ETag of the last response, in every encoding, until the label moves', async () => {
    const prompt = await seedPrompt(app())
    const { client, served, key } = prompt
    await saveText(prompt, 'long '.repeat(1_000))
    await saveText(prompt, 'other '.repeat(1_000))
    await move(prompt, 'production', 1)
    const read = (headers: Record<string, string>) =>
      fetch(`${app().url}/api/v1${served}`, { headers: { authorization: `Bearer ${key}`, ...headers } })
    for (const encoding of ['identity', 'gzip', 'br']) {
      const headers = { 'accept-encoding': encoding }
      const whole = await read(headers)
      const etag = whole.headers.get('etag') ?? ''
      expect(Object(await whole.json()).change).toBe(1)
      const unchanged = await read({ ...headers, 'if-none-match': `W/${etag}` })
      expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
      expect(unchanged.headers.get('etag')).toBe(etag)
      expect(unchanged.headers.get('cache-control')).toMatch(/max-age=10/)
    }
    const etag = (await client.get(served)).headers.get('etag') ?? ''
    await move(prompt, 'production', 2)
    expect((await client.get(served, { 'if-none-match': etag })).status).toBe(200)
  })

  it('texts of every script arrive as they were saved: short or long, compressed or not', async () => {
    const prompt = await seedPrompt(app())
    const texts = ['Grüße, 世界 😀 \u0080', 'Grüße, 世界 😀 '.repeat(200), 'Grüße, 世界 😀 '.repeat(2_000)]
    for (const [place, text] of texts.entries()) {
      await saveText(prompt, text)
      await move(prompt, 'production', place + 1)
      for (const encoding of ['identity', 'gzip', 'br']) {
        const headers = { authorization: `Bearer ${prompt.key}`, 'accept-encoding': encoding }
        const served = await fetch(`${app().url}/api/v1${prompt.served}`, { headers })
        const [split] = Object(await served.json()).splits
        expect(split.version.content.messages[0].content).toBe(text)
      }
    }
  })

  it('404 names what is missing: the prompt, the label, or the component', async () => {
    const prompt = await seedPrompt(app())
    const { client, served } = prompt
    expectError(await client.get(served), 404, 'Prompt answer has no label production.')
    await saveTexts(prompt, 1)
    await move(prompt, 'production', 1)
    expectError(await client.get(`${served}?label=prod`), 404, 'Prompt answer has no label prod.')
    expectError(await client.get(served.replace(/answer$/, 'reply')), 404, 'The component has no prompt reply.')
    expectError(await client.get(served.replace(prompt.componentId, prompt.promptId)), 404, 'Component not found')
    await client.delete(`${prompt.path}/labels/production`)
    expectError(await client.get(served), 404, 'Prompt answer has no label production.')
    expectError(await client.get(`${served}?version=1`), 400)
  })

  /** At once, each move followed by a read of the same prompt. */
  const PROMPTS = 20

  it('a read that begins after a move was confirmed has the new version', {
    tags: 'sized',
    timeout: 1_200_000,
  }, async () => {
    const moves = rounds({ test: 10, deep: 100, soak: 500 })
    const moveAndRead = async () => {
      const prompt = await seedPrompt(app())
      await saveTexts(prompt, 3)
      for (let change = 1; change <= moves; change += 1) {
        const version = (change % 3) + 1
        expect((await move(prompt, 'production', version)).status).toBe(200)
        const { body } = await prompt.client.get(prompt.served)
        const [split] = [body.splits].flat()
        if (body.change !== change || Object(split).version.number !== version)
          throw new Error(`change ${change} to version ${version} is served as ${body.change}`)
      }
    }
    await Promise.all(Array.from({ length: PROMPTS }, moveAndRead))
  })
})

describe('two servers on one database', () => {
  it('a read of one of them that begins after the other has confirmed a move has the new version', {
    tags: 'deep',
  }, async () => {
    const { url } = await createTestDatabase('postgres')
    const [first, second] = [await startTestApp(url), await startTestApp(url)]
    onTestFinished(async () => {
      await first.close()
      await second.close()
    })
    const prompt = await seedPrompt(first)
    await saveTexts(prompt, 2)
    const other = second.withKey(prompt.key)
    let etag = ''
    for (let change = 1; change <= 30; change += 1) {
      const version = (change % 2) + 1
      expect((await move(prompt, 'production', version)).status).toBe(200)
      const { status, body, headers } = await other.get(prompt.served, { 'if-none-match': etag })
      expect([status, body.change, Object([body.splits].flat()[0]).version.number]).toEqual([200, change, version])
      etag = headers.get('etag') ?? ''
      expect((await other.get(prompt.served, { 'if-none-match': etag })).status).toBe(304)
    }
    await prompt.client.delete(`${prompt.path}/labels/production`)
    expectError(
      await other.get(prompt.served, { 'if-none-match': etag }),
      404,
      'Prompt answer has no label production.',
    )
  })
})

describeEachEngine('GET /served-prompts/events', (app) => {
  async function listen(key: string) {
    const stopped = new AbortController()
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${app().url}/api/v1/served-prompts/events`, { headers, signal: stopped.signal })
    const events = eventsOf(response)
    const next = async () => (await events.next()).value
    expect(await next()).toEqual({ name: 'ready', data: {} })
    return { next, stop: () => stopped.abort() }
  }

  it('reports each move, rollback and deletion of a label, and nothing of another application', async () => {
    const [prompt, other] = [await seedPrompt(app()), await seedPrompt(app())]
    const { client, path, componentId, key } = prompt
    for (const one of [prompt, other]) await saveTexts(one, 2)
    const stream = await listen(key)
    const moved = (change: number) => ({
      name: 'moved',
      data: { componentId, name: 'answer', label: 'production', change },
    })
    await move(other, 'production', 1)
    const changes: ((one: SeededPrompt) => Promise<unknown>)[] = [
      (one) => move(one, 'production', 1),
      (one) => move(one, 'production', 2),
      () => client.post(`${path}/labels/production/rollback`, {}),
      () => client.delete(`${path}/labels/production`),
    ]
    for (const [place, change] of changes.entries()) {
      await change(prompt)
      expect(await stream.next()).toEqual(moved(place + 1))
    }
    stream.stop()
  })

  it('is reported by the topic prompts of /events, as are new prompts and versions', { tags: 'deep' }, async () => {
    const prompt = await seedPrompt(app())
    const { client, path, componentId, key } = prompt
    const stopped = new AbortController()
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${app().url}/api/v1/events`, { headers, signal: stopped.signal })
    const events = eventsOf(response)
    await events.next()
    for (const change of [
      () => saveText(prompt, 'a'),
      () => move(prompt, 'production', 1),
      () => client.patch(path, { description: 'Answers' }),
      () => client.post(`/components/${componentId}/prompts`, { name: 'second' }),
    ]) {
      await change()
      expect((await events.next()).value).toEqual({ name: 'changed', data: { topics: ['prompts'] } })
    }
    stopped.abort()
  })
})

describe('the stream of moved labels', () => {
  const moveOf = (id: number) => ({ id: String(id), componentId: 'c', name: 'n', label: 'l', change: id })

  function streamOf(readings: ReturnType<typeof moveOf>[][]) {
    let elapsed = 0
    const state = { isRead: true, isAllowed: true, advance: (ms: number) => (elapsed += ms) }
    const events = servedPromptEvents({
      readMoves: async () => (readings.length > 1 ? readings.shift() : readings[0]) ?? [],
      clock: { now: () => elapsed },
      isStillAllowed: async () => state.isAllowed,
      isRead: () => state.isRead,
    })
    return { state, next: async () => (await events.next()).value }
  }

  it('reports a move that another transaction stored late, below a newer one', async () => {
    const { next } = streamOf([
      [moveOf(3), moveOf(1)],
      [moveOf(3), moveOf(2), moveOf(1)],
    ])
    await next()
    expect(await next()).toContain('"change":2')
  })

  it('asks the client to connect again if it may have missed moves, or may no longer read', async () => {
    const many = Array.from({ length: 100 }, (_, place) => moveOf(place))
    const missed = streamOf([[], many])
    await missed.next()
    expect(await missed.next()).toMatch(/^event: reconnect/)
    expect(await missed.next()).toBeUndefined()
    const denied = streamOf([[]])
    await denied.next()
    denied.state.isAllowed = false
    denied.state.advance(1_001)
    expect(await denied.next()).toMatch(/^event: reconnect/)
  })

  it('reports no old moves that are read again because newer ones were purged', async () => {
    const down = (from: number, count: number) => Array.from({ length: count }, (_, place) => moveOf(from - place))
    const { next } = streamOf([
      down(299, 100),
      [...down(249, 50), ...down(199, 50)],
      [...down(250, 51), ...down(199, 49)],
    ])
    await next()
    expect(await next()).toContain('"change":250')
  })

  it('sends heartbeats while nothing moves, and ends when the client has disconnected', async () => {
    const { state, next } = streamOf([[]])
    await next()
    state.advance(15_001)
    expect(await next()).toBe(': still here\n\n')
    state.isRead = false
    expect(await next()).toBeUndefined()
  })
})
