import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Row } from '../playground/trying.ts'
import {
  answerAtOnce,
  answerByRules,
  createExperiment,
  experimentBody,
  experimentsPath,
  experimentWith,
  isReflection,
  iterationsOf,
  reflectByRules,
  resultsOf,
  ruleItems,
  seedExperiment,
  startExperiment,
} from './seed-experiment.ts'

describeEachEngine('what users do with experiments', (app) => {
  it('stop ends the search, and opens the test for what was found', async () => {
    // The third proposal and all later ones wait for the stop.
    const stopped = Promise.withResolvers<void>()
    let reflections = 0
    const of = await seedExperiment(app(), {
      answer: async (request) => {
        if (!isReflection(request)) return answerByRules(request)
        reflections += 1
        if (reflections > 6) await stopped.promise
        return reflectByRules(request)
      },
    })
    const { path } = await startExperiment(of)
    await waitFor('a reflection that waits', async () => reflections > 6 || undefined)
    const { status, body } = await of.client.post(`${path}/stop`, undefined)
    expect(status).toBe(202)
    expect(body).toMatchObject({ status: 'running', endedBy: 'stopped' })
    expect((await of.client.post(`${path}/stop`, undefined)).status).toBe(409)
    stopped.resolve()
    expect(await experimentWith(of.client, path)).toMatchObject({
      status: 'completed',
      reason: 'The search was stopped by a user',
    })
    const results = await resultsOf(of.client, path)
    expect(Object(results.test).finalists).toHaveLength(1)
    expect((await of.client.post(`${path}/cancel`, undefined)).status).toBe(409)
  })

  it('cancel stops all calls, and resume goes on without asking again for what was paid for', async () => {
    const canceled = Promise.withResolvers<void>()
    let answers = 0
    const of = await seedExperiment(app(), {
      answer: async (request) => {
        if (isReflection(request)) return reflectByRules(request)
        answers += 1
        if (answers > 20) await canceled.promise
        return answerByRules(request)
      },
    })
    const { path } = await createExperiment(of, { concurrency: 2 })
    expect((await of.client.post(`${path}/resume`, undefined)).status).toBe(409)
    expect((await of.client.post(`${path}/start`, undefined)).status).toBe(202)
    expect((await of.client.post(`${path}/start`, undefined)).status).toBe(409)
    await waitFor('calls that wait', async () => answers > 20 || undefined)
    const { status, body } = await of.client.post(`${path}/cancel`, undefined)
    expect(status).toBe(202)
    expect(body).toMatchObject({ status: 'failed', endedBy: 'canceled', error: 'canceled' })
    canceled.resolve()
    const asked = () => of.server.requests.map(({ body: sent }) => JSON.stringify(sent))
    const before = new Set(asked()).size
    const resumed = await of.client.post(`${path}/resume`, { budget: { patience: 50 } })
    expect(resumed.status, resumed.text).toBe(202)
    expect(resumed.body).toMatchObject({ status: 'running', endedBy: null, plan: { budget: { patience: 50 } } })
    expect(await experimentWith(of.client, path)).toMatchObject({ status: 'completed', error: null })
    expect(before).toBeLessThanOrEqual(23)
    // Two calls were in flight.
    const search = asked().length - new Set(asked()).size
    expect(search).toBeLessThanOrEqual(2)
    expect((await of.client.post(`${path}/resume`, undefined)).status).toBe(409)
  })

  it('cancel during the test cancels its trial, and the test cannot be repeated', async () => {
    const canceled = Promise.withResolvers<void>()
    const testTexts = new Set<string>()
    let waiting = 0
    const of = await seedExperiment(app(), {
      items: ruleItems(24),
      answer: async (request) => {
        if (testTexts.has(request.user)) {
          waiting += 1
          await canceled.promise
        }
        return answerAtOnce(request)
      },
    })
    const { path } = await createExperiment(of, { allowTooFew: true })
    for (const { input, split } of await of.client.list(
      `/components/${of.componentId}/datasets/${of.datasetId}/items?limit=100`,
    ))
      if (split === 'test') testTexts.add(String(JSON.parse(String(input)).question))
    expect((await of.client.post(`${path}/start`, undefined)).status).toBe(202)
    await waitFor('a call of the test', async () => waiting > 0 || undefined)
    const { trialId } = await experimentWith(of.client, path, ['running'])
    expect((await of.client.post(`${path}/stop`, undefined)).status).toBe(409)
    expect((await of.client.post(`${path}/cancel`, undefined)).status).toBe(202)
    canceled.resolve()
    const trial = await of.client.get(`/components/${of.componentId}/trials/${trialId}`)
    expect(trial.body).toMatchObject({ status: 'failed', endedBy: 'canceled' })
    expect((await of.client.post(`${path}/resume`, undefined)).status).toBe(409)
  })

  it('delete removes it with its iterations, and keeps the saved version', async () => {
    const of = await seedExperiment(app(), { items: ruleItems(24), answer: answerAtOnce })
    const { path } = await startExperiment(of, { allowTooFew: true })
    await experimentWith(of.client, path)
    const results = await resultsOf(of.client, path)
    const [finalist]: Row[] = Object(results.test).finalists
    expect((await of.client.delete(path)).status).toBe(204)
    expect((await of.client.get(path)).status).toBe(404)
    expect((await of.client.get(`${of.path}/versions/${finalist?.version}`)).status).toBe(200)
    expect(await of.client.list(experimentsPath(of))).toEqual([])
  })

  it('the list, the front and the difference of a proposal show what the search has found', async () => {
    const of = await seedExperiment(app(), { items: ruleItems(24), answer: answerAtOnce })
    const { id, path } = await startExperiment(of, { name: 'rules', allowTooFew: true })
    await experimentWith(of.client, path)
    expect(await of.client.list(experimentsPath(of))).toMatchObject([{ id, name: 'rules', status: 'completed' }])
    const { body: front } = await of.client.get(`${path}/front`)
    expect(front).toMatchObject({ items: 5, data: [{ number: 1, best: 5, mean: 1 }] })
    const rows = await iterationsOf(of.client, path, '&include=parents')
    const finalist = rows.find(({ state }) => state === 'finalist')
    const diff = await of.client.get(`${path}/iterations/${finalist?.number}/diff?against=parent`)
    expect(diff.body).toMatchObject({ from: Object(finalist?.parents)[0], to: finalist?.number })
    const changed: Row[] = Object(diff.body.messages)
    expect(changed.map(({ change }) => change)).toEqual(['changed', 'same'])
    const wrong = await of.client.get(`${path}/iterations/1/diff?against=none`)
    expect(wrong.status).toBe(400)
  })

  it('what is wrong with a request is said before anything is called', async () => {
    const of = await seedExperiment(app(), { items: ruleItems(40) })
    const rejected = async (body: Row) => {
      const { status, text } = await of.client.post(experimentsPath(of), experimentBody(of, body))
      return `${status} ${text}`
    }
    expect(await rejected({ optimizer: 'copro' })).toMatch(/^400 .*There is no optimizer \\"copro\\"; use gepa, /)
    expect(await rejected({})).toMatch(/^409 .*The test split has 20 items, and a verdict needs at least 30/)
    expect(await rejected({ allowTooFew: true, frozen: ['/messages/7'] })).toMatch(/^400 .*\/messages\/7/)
    expect(await rejected({ allowTooFew: true, evaluators: [{ type: 'latency', maxMs: 5 }] })).toMatch(
      /^400 .*reads more than the texts/,
    )
    expect(await rejected({ allowTooFew: true, objectives: [{ metric: 'other', role: 'improve' }] })).toMatch(
      /^400 .*is no evaluator/,
    )
    expect(await rejected({ allowTooFew: true, splits: { train: 0.5, validation: 0.5, test: 0.5 } })).toMatch(
      /^400 .*add up to 1/,
    )
    expect(await rejected({ allowTooFew: true, splits: { train: 0.5, validation: 0, test: 0.5 } })).toMatch(
      /^409 .*in all three splits/,
    )
    expect(await rejected({ prompt: { promptId: of.promptId, version: 9 } })).toMatch(/^404 /)
    expect(of.server.requests).toHaveLength(0)
    expect(await of.client.list(experimentsPath(of))).toEqual([])
  })

  it('a provider that only rejects ends the experiment with its reason, and it can be resumed', async () => {
    let isBroken = true
    const of = await seedExperiment(app(), {
      misbehaviour: () => (isBroken ? 'model not found' : undefined),
      items: ruleItems(120),
    })
    const { path } = await startExperiment(of, { splits: { train: 0.3, validation: 0.3, test: 0.4 } })
    const failed = await experimentWith(of.client, path)
    const error = expect.stringMatching(/^None of the first \d+ answers succeeded: models returned 404/)
    expect(failed).toMatchObject({ status: 'failed', endedBy: null, error })
    isBroken = false
    expect((await of.client.post(`${path}/resume`, undefined)).status).toBe(202)
    expect(await experimentWith(of.client, path)).toMatchObject({ status: 'completed', error: null })
    expect(await resultsOf(of.client, path)).toMatchObject({ verdict: 'improved' })
  })
})
