import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Row } from '../playground/trying.ts'
import {
  allCalls,
  complete,
  fail,
  leaseSome,
  type PromptTrials,
  readTrial,
  seedComponent,
  seedPromptTrials,
  startTrial,
  trialWith,
  version,
  WORKER,
} from './seed-trial.ts'

describeEachEngine('the matrix of a trial', (app) => {
  it('has no scores from ratings for a reader who rates a run blindly', async () => {
    const of = await seedComponent(app(), 2)
    const { client, componentId } = of
    const evaluators = [{ type: 'humanRating', name: 'people', positive: ['good'] }]
    const trial = await startTrial(of, { variants: [WORKER], evaluation: { evaluators } })
    const [first, second] = await leaseSome(client, componentId)
    if (!first || !second) throw new Error('both calls are leased')
    await complete(client, trial.path, first)
    // Before the last call, after which the run is evaluated.
    const run = `/components/${componentId}/runs/${trial.runs[0]?.runId}`
    const [trace] = await client.list(`${run}/traces`)
    await client.create(`${run}/annotations`, { traceDbId: trace?.id, rating: 'good' })
    await complete(client, trial.path, second)
    expect(await trialWith(client, trial.path)).toMatchObject({ status: 'completed' })
    const rater = await browserWith(app(), of.workspaceId, 'editor')
    const scores = async () => {
      const { body } = await rater.get(`${trial.path}/matrix`)
      return Object(body.data).flatMap((item: Row) => Object(item.calls).map(({ score }: Row) => score))
    }
    expect(await scores()).toEqual([1, null])
    expect((await client.send('PUT', `${run}/annotation-policy`, { body: { blind: true } })).status).toBe(200)
    expect(await scores()).toEqual([null, null])
  })

  it('has each item with the state of each call, its counts by filter, and pages', async () => {
    const { client, componentId, ...of } = await seedComponent(app(), 3)
    const other = { name: 'other', target: { type: 'worker', queue: 'agent' } }
    const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER, other], repetitions: 2 })
    const calls = await leaseSome(client, componentId)
    const [first, second] = calls
    if (!first || !second) throw new Error('all calls are leased')
    for (const call of calls.slice(0, 4)) await complete(client, trial.path, call)
    const fifth = calls[4]
    if (fifth) await fail(client, trial.path, fifth)
    const { body } = await client.get(`${trial.path}/matrix`)
    expect(body).toMatchObject({ metric: null, nextCursor: null, compact: null })
    const unscored = { worse: null, better: null, same: null, unscored: null, differ: null, flips: null }
    expect(body.counts).toEqual({ all: 3, ...unscored, failed: 1, waiting: 2 })
    expect(body).toMatchObject({ scale: null, higherIsBetter: null, candidate: 'other' })
    const rows: Row[] = Object(body.data)
    expect(rows.map(({ preview }) => preview)).toEqual(
      [1, 2, 3].map((number) => expect.stringContaining(`question ${number}`)),
    )
    expect(rows[0]?.itemId).toBe(first.itemId)
    const listed = await allCalls(client, trial.path)
    expect(rows.flatMap((row) => Object(row.calls))).toEqual(
      listed.map(({ id, variant, repetition, state, traceId }) => ({
        callId: id,
        variant,
        repetition,
        state,
        score: null,
        traceId,
      })),
    )
    expect(await itemsIn(client, `${trial.path}/matrix?filter=failed`)).toEqual([rows[1]?.itemId])
    expect(await itemsIn(client, `${trial.path}/matrix?filter=waiting`)).toEqual([rows[1]?.itemId, rows[2]?.itemId])
    expect(await itemsIn(client, `${trial.path}/matrix?filter=failed&variant=other`)).toEqual([])
    const page = await client.get(`${trial.path}/matrix?limit=2`)
    const rest = await client.get(`${trial.path}/matrix?limit=2&cursor=${page.body.nextCursor}`)
    expect(rest.body).toMatchObject({ counts: null, nextCursor: null, data: [{ itemId: rows[2]?.itemId }] })
    const one = await client.get(`${trial.path}/matrix?variant=other`)
    expect(one.body.counts).toEqual({ all: 3, ...unscored, failed: 0, waiting: 2 })
    const later = await client.get(`${trial.path}/matrix?from=3`)
    expect(Object(later.body.data)).toMatchObject([{ itemId: rows[2]?.itemId, number: 3 }])
    expect(Object(one.body.data)[0].calls).toHaveLength(2)
  })

  it('has one letter for each call in its compact form, in their order', async () => {
    const { client, componentId, ...of } = await seedComponent(app(), 2)
    const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER], repetitions: 2 })
    const [first, second] = await leaseSome(client, componentId, { max: 3 })
    if (!first || !second) throw new Error('three calls are leased')
    await complete(client, trial.path, first)
    await fail(client, trial.path, second)
    const { body } = await client.get(`${trial.path}/matrix?format=compact`)
    expect(body).toMatchObject({ compact: 'dfrq', data: [], counts: null, nextCursor: null })
  })

  it('has the scores of the metric of the gate, and finds the items on which they differ', async () => {
    const of = await seedPromptTrials(app(), {
      items: 3,
      answer: ({ user }) => (user.includes('briefly: question 2') ? 'short' : 'long'),
    })
    const evaluators = [
      { type: 'contains', name: 'any', value: 'o' },
      { type: 'contains', name: 'long', value: 'long' },
    ]
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const evaluation = { evaluators, gate: { metric: 'long', margin: 0.1 } }
    const trial = await startTrial(of, { variants, evaluation })
    await trialWith(of.client, trial.path)
    const { body } = await of.client.get(`${trial.path}/matrix`)
    expect(body).toMatchObject({ metric: 'long', scale: [0, 1], higherIsBetter: true, candidate: 'v2' })
    expect(body.counts).toEqual({
      ...{ all: 3, worse: 1, better: 0, same: 2, unscored: 0, differ: 1, flips: 0 },
      ...{ failed: 0, waiting: 0 },
    })
    expect(scoresIn(body)).toEqual([
      [1, 1],
      [1, 0],
      [1, 1],
    ])
    const differing = await of.client.get(`${trial.path}/matrix?filter=differ`)
    expect(scoresIn(differing.body)).toEqual([[1, 0]])
    const compact = await of.client.get(`${trial.path}/matrix?format=compact`)
    expect(compact.body.compact).toBe('999099')
  })

  it('has the items on which any candidate is better or worse, and those whose repetitions differ', async () => {
    // Each question is asked twice by each version. The first one flips: its second answer is short.
    const seen = new Map<string, number>()
    const of = await seedPromptTrials(app(), {
      items: 4,
      answer: ({ user }) => {
        const times = (seen.get(user) ?? 0) + 1
        seen.set(user, times)
        if (user === 'Answer: question 1') return times === 1 ? 'good' : 'bad'
        return /briefly: question [12]|Answer: question 3/.test(user) ? 'good' : 'bad'
      },
    })
    const evaluation = { evaluators: [{ type: 'contains', name: 'is good', value: 'good' }] }
    const prompts = [1, 2].map((number) => version(of.promptId, number))
    const variants = prompts.map((variant, place) => ({ ...variant, name: `variant ${place + 1}` }))
    const two = await startTrial(of, { variants, evaluation, repetitions: 2 })
    await trialWith(of.client, two.path)
    const { body } = await of.client.get(`${two.path}/matrix`)
    expect(body.counts).toMatchObject({ all: 4, worse: 1, better: 2, same: 1, unscored: 0, flips: 1 })
    expect(Object(body.data).map(({ change }: Row) => change)).toEqual(['better', 'better', 'worse', 'same'])
    const numbersOf = async (query: string) => {
      return (await of.client.list(`${two.path}/matrix?${query}`)).map(({ number }) => number)
    }
    expect(await numbersOf('filter=better')).toEqual([1, 2])
    expect(await numbersOf('filter=worse')).toEqual([3])
    expect(await numbersOf('filter=same')).toEqual([4])
    expect(await numbersOf('filter=unscored')).toEqual([])
    expect(await numbersOf('filter=flips')).toEqual([1])
    expect(await numbersOf('filter=better&limit=1')).toEqual([1])
    // The other way round, each better item is a worse one.
    const same = await of.client.get(`${two.path}/matrix?candidate=variant%201`)
    expect(same.body.counts).toMatchObject({ worse: 0, better: 0, same: 4 })
    expectError(await of.client.get(`${two.path}/matrix?candidate=gone`), 400)
  })

  it('compares in the direction of the metric', async () => {
    const of = await seedPromptTrials(app(), { items: 1, answer: ({ user }) => user })
    const evaluation = { evaluators: [{ type: 'external', name: 'mistakes', higherIsBetter: false }] }
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const trial = await startTrial(of, { variants, evaluation })
    // A candidate is evaluated after its baseline.
    for (const place of [0, 1]) {
      const evaluationId = await waitFor('the evaluation', async () => {
        const known = Array.from(Object((await readTrial(of.client, trial.path)).variants), (variant) =>
          Object(variant),
        )
        return known[place]?.evaluationId ?? undefined
      })
      await deliver(of, String(evaluationId), place)
    }
    await trialWith(of.client, trial.path)
    const { body } = await of.client.get(`${trial.path}/matrix`)
    expect(body).toMatchObject({ higherIsBetter: false, counts: { worse: 1, better: 0 } })
    expect(scoresIn(body)).toEqual([[0, 1]])
    expect((await of.client.get(`${trial.path}/matrix?format=compact`)).body.compact).toBe('90')
  })

  it('has each call by its number', async () => {
    const of = await seedComponent(app(), 1)
    const trial = await startTrial(of, { variants: [WORKER], repetitions: 2 })
    const [first] = await leaseSome(of.client, of.componentId, { max: 1 })
    if (!first) throw new Error('a call is leased')
    await fail(of.client, trial.path, first)
    const listed = await allCalls(of.client, trial.path)
    expect((await of.client.get(`${trial.path}/calls/1`)).body).toEqual(listed[0])
    expect(listed[0]).toMatchObject({ state: 'failed', reason: 'it broke' })
    expectError(await of.client.get(`${trial.path}/calls/3`), 404)
  })

  it('is withheld in another application, and rejects what it does not know', async () => {
    const of: PromptTrials = await seedPromptTrials(app(), { items: 1 })
    const trial = await startTrial(of, { variants: [version(of.promptId, 1)] })
    const other = await app().newWorkspace()
    expectError(await other.client.get(`${trial.path}/matrix`), 404)
    expectError(await of.client.get(`${trial.path}/matrix?filter=gone`), 400)
    expectError(await of.client.get(`${trial.path}/matrix?format=gone`), 400)
    expectError(await of.client.get(`${trial.path}/matrix?variant=gone`), 400)
    expectError(await of.client.get(`${trial.path}/matrix?limit=51`), 400)
    expectError(await of.client.get(`${trial.path}/matrix?cursor=gone`), 400)
  })
})

/** The score of the only case of an evaluation that waits for it. */
async function deliver({ client, componentId }: PromptTrials, evaluationId: string, score: number): Promise<void> {
  const path = `/components/${componentId}/evaluations/${evaluationId}/scores`
  const [waiting] = await waitFor('a score to deliver', async () => {
    const found = await client.list(path)
    return found.length > 0 ? found : undefined
  })
  const body = { scores: [{ traceDbId: waiting?.traceDbId, evaluator: 'mistakes', score }] }
  const { status, text } = await client.post(path, body)
  expect([200, 201, 202], text).toContain(status)
}

async function itemsIn(client: PromptTrials['client'], path: string): Promise<unknown[]> {
  return (await client.list(path)).map(({ itemId }) => itemId)
}

function scoresIn(body: Row): unknown[][] {
  const rows: Row[] = Object(body.data)
  return rows.map(({ calls }) => Object(calls).map(({ score }: Row) => score))
}
