// @module-tag sql
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { NIL_ID } from '../../src/base/ids.ts'
import { newRaters, rate, raterPair, seedRatedRun, setPolicy } from '../annotations/rated-run.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import { copyTrace } from './copied-trace.ts'

type Row = Record<string, unknown>

async function rowsOf(client: Client, parameters: Record<string, string>): Promise<Row> {
  const { status, text, body } = await client.get(`/traces?${new URLSearchParams(parameters)}`)
  expect(status, text).toBe(200)
  return body
}

function dataOf(body: Row): Row[] {
  return Array.isArray(body.data) ? body.data : []
}

async function onlyRow(client: Client, parameters: Record<string, string>): Promise<Row | undefined> {
  return dataOf(await rowsOf(client, parameters))[0]
}

describeEachEngine('a row of a trace', (app) => {
  it('has the columns of a table, and the requested parts', async () => {
    const { client } = await app().newWorkspace()
    const trace = { traceId: traceIdOf(1), start: Date.UTC(2026, 10, 15) }
    await sendSpans(
      client,
      [
        {
          ...trace,
          spanId: spanIdOf(1),
          end: trace.start + 1_500,
          attributes: {
            'input.value': `Where is  my\norder? ${'x'.repeat(300)}`,
            'output.value': 'On its way.',
            'session.id': 'session 1',
            'user.id': 'user 1',
            'touchstone.tags': ['blue'],
          },
        },
        {
          ...trace,
          spanId: spanIdOf(2),
          parentSpanId: spanIdOf(1),
          attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.response.model': 'gpt-4o', 'gen_ai.usage.cost': 0.25 },
        },
        {
          ...trace,
          spanId: spanIdOf(3),
          parentSpanId: spanIdOf(1),
          status: 'error',
          attributes: {
            'gen_ai.operation.name': 'chat',
            'gen_ai.response.model': 'a model',
            'gen_ai.usage.input_tokens': 7,
          },
        },
      ],
      { 'service.name': 'shop', 'deployment.environment': 'staging' },
    )
    const whole = await rowsOf(client, { include: 'previews,ratings,scores' })
    expect(whole).toMatchObject({ total: 1, totalIsExact: true, sortIsComplete: true, nextCursor: null })
    const [row] = dataOf(whole)
    expect(row).toMatchObject({
      traceId: traceIdOf(1),
      durationMs: 1_500,
      sessionId: 'session 1',
      userId: 'user 1',
      service: 'shop',
      environment: 'staging',
      tags: ['blue'],
      spanCount: 3,
      errorCount: 1,
      models: ['a model', 'gpt-4o'],
      hasAllModels: true,
      preview: { input: `Where is my order? ${'x'.repeat(180)}…`, output: 'On its way.' },
      ratings: [],
      scores: [],
    })
    const { preview: _p, ratings: _r, scores: _s, ...plain } = { ...row }
    expect(await onlyRow(client, { include: '' })).toEqual(plain)
    expect(await onlyRow(client, { sort: '-time' })).toEqual(plain)
  })

  it('has the input and the output of the first and the last model call if its root has none', async () => {
    const { client } = await app().newWorkspace()
    const trace = { traceId: traceIdOf(2) }
    const call = (text: string) => ({
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: `ask ${text}` }] }]),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: `say ${text}` }] },
      ]),
    })
    await sendSpans(client, [
      { ...trace, spanId: spanIdOf(1) },
      { ...trace, spanId: spanIdOf(2), parentSpanId: spanIdOf(1), attributes: call('one') },
    ])
    const detail = (await client.get(`/traces/${traceIdOf(2)}`)).body
    const row = await onlyRow(client, { include: 'previews' })
    expect(row?.preview).toEqual({ input: 'ask one', output: 'say one' })
    expect(row?.preview).toEqual({ input: detail.input, output: detail.output })
  })

  it('returns null for previews that would need to read more than 8 MiB, and shows the others', async () => {
    const { client } = await app().newWorkspace()
    const path = `/components/${await client.create('/components', { name: 'C' })}/traces`
    for (let number = 0; number < 10; number += 1)
      await client.create(path, { traceId: `large ${number}`, input: 'a'.repeat(1_000_000), output: 'short' })
    const rows = dataOf(await rowsOf(client, { include: 'previews' }))
    expect(rows.map(({ preview }) => preview !== null)).toEqual([...Array(8).fill(true), false, false])
  })

  it('has for each evaluator the score of its newest evaluation', async () => {
    const { client } = await app().newWorkspace()
    const path = `/components/${await client.create('/components', { name: 'C' })}`
    await client.create(`${path}/traces`, { traceId: 'a', input: 'q', output: 'right', dataset: 'D', run: 'R' })
    const [dataset] = await client.list(`${path}/datasets`)
    const [run] = await client.list(`${path}/runs`)
    const evaluate = async (evaluators: Row[]) => {
      const { body } = await client.post(`${path}/evaluations`, {
        datasetId: dataset?.id,
        runId: run?.id,
        config: { evaluators },
      })
      expect((await client.get(`${path}/evaluations/${body.id}/events`)).text).toContain('completed')
      return body.id
    }
    await evaluate([
      { type: 'contains', name: 'has', value: 'wrong' },
      { type: 'contains', name: 'any', value: 'r' },
    ])
    const newest = await evaluate([{ type: 'contains', name: 'has', value: 'right' }])
    const row = await onlyRow(client, { include: 'scores' })
    expect(row?.scores).toMatchObject([
      { evaluator: 'any' },
      { evaluator: 'has', evaluationId: newest, score: 1, passed: true, repetitions: 1 },
    ])
    expect((await client.delete(`${path}/evaluations/${newest}`)).status).toBe(204)
    expect((await onlyRow(client, { include: 'scores' }))?.scores).toMatchObject([
      { evaluator: 'any' },
      { evaluator: 'has', score: 0, passed: false },
    ])
  })

  it('shows ratings of a blind run only to a user who has rated the trace', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const path = `/components/${await client.create('/components', { name: 'C' })}`
    await client.create(`${path}/traces`, { traceId: 'a', input: 'q', output: 'o', dataset: 'D', run: 'R' })
    const [run] = await client.list(`${path}/runs`)
    const annotations = `${path}/runs/${run?.id}/annotations`
    await client.send('PUT', `${path}/runs/${run?.id}/annotation-policy`, { body: { blind: true } })
    const [first, second] = await newRaters(app(), { workspaceId, count: 2 })
    if (!first || !second) throw new Error('there are two')
    await first.client.create(annotations, { traceDbId: 'a', rating: 'wrong' })
    const ratingsFor = async (reader: Client) => (await onlyRow(reader, { include: 'ratings' }))?.ratings
    expect(await ratingsFor(first.client)).toEqual([{ userId: first.userId, rating: 'wrong' }])
    expect(await ratingsFor(second.client)).toEqual([])
    await second.client.create(annotations, { traceDbId: 'a', rating: 'right' })
    expect(await ratingsFor(second.client)).toHaveLength(2)
  })

  it('has ratings given outside of runs, and of each user the newest one', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const path = `/components/${await client.create('/components', { name: 'C' })}`
    const id = await client.create(`${path}/traces`, { traceId: 'a', input: 'q', output: 'o', dataset: 'D', run: 'R' })
    const other = await client.create(`${path}/traces`, { traceId: 'b', input: 'q', output: 'o' })
    const [run] = await client.list(`${path}/runs`)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const rateOutside = (rater: Client, trace: string, body: object) =>
      rater.send('PUT', `/traces/${trace}/annotation`, { body })
    await rateOutside(ann.client, id, { rating: 'wrong' })
    await ann.client.create(`${path}/runs/${run?.id}/annotations`, { traceDbId: 'a', rating: 'right' })
    await rateOutside(ben.client, id, { rating: 'partly' })
    await rateOutside(ben.client, other, { comment: 'no rating' })
    const ratings = async () =>
      dataOf(await rowsOf(client, { include: 'ratings', sort: 'time' })).map((row) => row.ratings)
    const bens = { userId: ben.userId, rating: 'partly' }
    expect(await ratings()).toEqual([[{ userId: ann.userId, rating: 'right' }, bens], []])
    await rateOutside(ann.client, id, { rating: 'wrong' })
    await rateOutside(ann.client, other, { rating: 'right' })
    expect(await ratings()).toEqual([
      [{ userId: ann.userId, rating: 'wrong' }, bens],
      [{ userId: ann.userId, rating: 'right' }],
    ])
  })

  it('shows ratings outside of runs only to a user who does not have to rate the trace blindly', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 1)
    const [ann, ben] = await raterPair(app(), workspaceId)
    await setPolicy(client, path, { blind: true })
    const traceId = traces[0]?.id ?? ''
    await ann.client.send('PUT', `/traces/${traceId}/annotation`, { body: { rating: 'wrong' } })
    const ratingsFor = async (reader: Client) => (await onlyRow(reader, { include: 'ratings' }))?.ratings
    const anns = { userId: ann.userId, rating: 'wrong' }
    expect(await ratingsFor(ann.client)).toEqual([anns])
    expect(await ratingsFor(ben.client)).toEqual([])
    expect(await ratingsFor(client)).toEqual([anns])
    expect(dataOf(await rowsOf(ben.client, { include: 'ratings', q: 'status:error' }))).toEqual([])
    await rate(ben.client, path, traceId)
    expect(await ratingsFor(ben.client)).toEqual([anns, { userId: ben.userId, rating: 'positive' }])
  })
})

describeEachEngine('rows of traces', (app) => {
  let client: Client
  /** Newest last. */
  const sent: { traceId: string; time: number; duration: number; cost: number | null; tokens: number | null }[] = []

  beforeAll(async () => {
    ;({ client } = await app().newWorkspace())
    for (let number = 0; number < 23; number += 1) {
      const trace = {
        traceId: traceIdOf(number),
        // Some start together, and some before others that arrived earlier.
        time: Date.UTC(2026, 10, 1) + ((number * 5) % 8) * 60_000,
        duration: (number * 7) % 5,
        cost: number % 4 === 0 ? null : (number % 3) / 8,
        tokens: number % 6 === 0 ? null : number % 4,
      }
      sent.push(trace)
      await sendSpans(client, [
        {
          traceId: trace.traceId,
          spanId: spanIdOf(1),
          start: trace.time,
          end: trace.time + trace.duration,
          attributes: {
            'gen_ai.operation.name': 'chat',
            'user.id': number % 2 === 0 ? 'even' : 'odd',
            ...(trace.cost !== null && { 'gen_ai.usage.cost': trace.cost }),
            ...(trace.tokens !== null && { 'gen_ai.usage.input_tokens': trace.tokens }),
          },
        },
      ])
    }
  })

  type Field = 'time' | 'arrival' | 'duration' | 'cost' | 'tokens'

  /** What the order must be, by a plain sort. */
  function expectedIds(field: Field, sign: 1 | -1, user: string | undefined): string[] {
    const valueAt = (place: number) => (field === 'arrival' ? 0 : (sent[place]?.[field] ?? null))
    const places = sent.flatMap((_, place) =>
      user === undefined || user === (place % 2 === 0 ? 'even' : 'odd') ? [place] : [],
    )
    return places
      .sort((a, b) => {
        const [x, y] = [valueAt(a), valueAt(b)]
        if (x === null || y === null) return x === y ? sign * (a - b) : x === null ? 1 : -1
        return x === y ? sign * (a - b) : sign * (x - y)
      })
      .map((place) => sent[place]?.traceId ?? '')
  }

  async function walk(parameters: Record<string, string>, limits: number[]): Promise<string[]> {
    const ids: string[] = []
    let cursor: unknown
    for (let page = 0; page === 0 || typeof cursor === 'string'; page += 1) {
      const limit = String(limits[page % limits.length])
      const body = await rowsOf(client, {
        ...parameters,
        limit,
        ...(typeof cursor === 'string' ? { cursor } : { include: '' }),
      })
      ids.push(...dataOf(body).map(({ traceId }) => String(traceId)))
      cursor = body.nextCursor
    }
    return ids
  }

  it('are each returned exactly once, in order, by pages of any size, in any order and with any filter', {
    tags: 'sized',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Field>('time', 'arrival', 'duration', 'cost', 'tokens'),
        fc.constantFrom<1 | -1>(1, -1),
        fc.constantFrom(undefined, { user_id: 'odd' }, { q: 'user:even' }, { start_after: '2026-01-01' }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
        async (field, sign, filter, limits) => {
          const user = filter && ('user_id' in filter ? 'odd' : 'q' in filter ? 'even' : undefined)
          const given = Object.fromEntries(Object.entries({ ...filter }).map(([name, value]) => [name, String(value)]))
          const ids = await walk({ sort: sign === 1 ? field : `-${field}`, ...given }, limits)
          expect(ids).toEqual(expectedIds(field, sign, user))
        },
      ),
      { numRuns: runs(25) },
    )
  })

  it('of later pages do not change when traces arrive in between', async () => {
    const other = (await app().newWorkspace()).client
    const send = (number: number, tokens: number) =>
      sendSpans(other, [
        {
          traceId: traceIdOf(number),
          spanId: spanIdOf(1),
          attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': tokens },
        },
      ])
    for (const number of [1, 2, 3, 4]) await send(number, number)
    for (const sort of ['-arrival', '-tokens']) {
      const first = await rowsOf(other, { sort, limit: '2' })
      await send(sort === '-arrival' ? 5 : 6, 1)
      const next = await rowsOf(other, { sort, limit: '2', cursor: String(first.nextCursor) })
      const ids = [...dataOf(first), ...dataOf(next)].map(({ traceId }) => traceId)
      expect(new Set(ids).size, sort).toBe(4)
      if (sort === '-arrival') expect(ids).toEqual([4, 3, 2, 1].map(traceIdOf))
    }
  })

  it('mark their total and order as limited if more than 10,000 traces match a query', async () => {
    const { client: other, workspaceId } = await app().newWorkspace()
    await sendSpans(other, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), attributes: { 'user.id': 'someone' } }])
    await copyTrace(app(), workspaceId, 10_000)
    const byQuery = await rowsOf(other, { sort: '-duration', limit: '1', q: 'user:someone' })
    expect(byQuery).toMatchObject({ total: 10_000, totalIsExact: false, sortIsComplete: false })
    const all = await rowsOf(other, { sort: '-duration', limit: '1' })
    expect(all).toMatchObject({ total: 10_001, totalIsExact: true, sortIsComplete: false })
    const newest = await rowsOf(other, { sort: '-time', limit: '1' })
    expect(newest).toMatchObject({ total: 10_001, totalIsExact: true, sortIsComplete: true })
  })

  describe('are rejected with 400 for', () => {
    it.each([
      [{ include: 'everything' }, 'The query parameter include must be a list of previews, ratings, scores'],
      [{ sort: 'name' }, 'The query parameter sort must be one of time, -time, arrival, -arrival, duration'],
      [{ cursor: 'nonsense' }, 'The query parameter cursor must be the nextCursor of an earlier response'],
      [
        { cursor: Buffer.from(JSON.stringify(['-time', NIL_ID, null, NIL_ID])).toString('base64url') },
        'the nextCursor',
      ],
      [{ cursor: Buffer.from('["-time","x",null,"y"]').toString('base64url') }, 'cursor must be the nextCursor'],
      [{ include: '', offset: '1' }, 'offset cannot be combined with include, sort or cursor'],
      [{ include: '', q: 'status:ok nofield:1' }, 'The query is invalid at character 11, near "nofield"'],
    ])('%o', async (parameters, message) => {
      const { status, body } = await client.get(`/traces?${new URLSearchParams(parameters)}`)
      expect([status, Object.keys(body)]).toEqual([400, ['error']])
      expect(body.error).toContain(message)
    })

    it('a cursor of another sort', async () => {
      const { nextCursor } = await rowsOf(client, { sort: '-cost', limit: '1' })
      const { status, body } = await client.get(`/traces?sort=cost&cursor=${nextCursor}`)
      expect([status, body.error]).toEqual([400, expect.stringContaining('belongs to another sort')])
    })
  })
})
