import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { judgeBySchema } from '../harness/model-answers.ts'
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
  proposal,
  reflectByRules,
  resultsOf,
  ruleItems,
  seedExperiment,
  startExperiment,
} from './seed-experiment.ts'

const PHRASE = 'the quick auditor quietly files nine purple invoices before noon'

describeEachEngine('the guards of experiments', (app) => {
  it('no accepted prompt has a phrase that is planted in training items, and what was rejected is counted', async () => {
    const items = ruleItems(60).map((item, place) => {
      const { question }: Row = JSON.parse(String(item.input))
      return { ...item, input: JSON.stringify({ question: `${question} ${PHRASE} ${place}` }) }
    })
    const of = await seedExperiment(app(), {
      items,
      answer: (request) => {
        if (!isReflection(request)) return answerByRules(request)
        // Every second proposal copies the phrase, and the copy would be the better prompt.
        const isCopy = request.user.length % 2 === 0
        const proposed: { prompt: { messages: Row[] } } = Object(reflectByRules(request))
        return proposal(proposed.prompt.messages, (text) => (isCopy ? `${text} (a)(b)(c)(d)(e)(f) ${PHRASE}` : text))
      },
    })
    // They are nearly the same, so that they need splits of their own to be in three of them.
    const path = `/components/${of.componentId}/datasets/${of.datasetId}/items`
    const ids = (await of.client.list(`${path}?limit=100`)).map(({ id }) => String(id))
    const parts = { train: ids.slice(0, 18), validation: ids.slice(18, 30), test: ids.slice(30) }
    for (const [split, own] of Object.entries(parts))
      expect((await of.client.post(`${path}/bulk`, { ids: own, set: { split } })).status).toBe(200)
    const dry = await of.client.post(`${experimentsPath(of)}?dry_run=true`, experimentBody(of))
    const leaks: Row[] = Object(dry.body.leaks)
    expect(leaks.map(({ splits }) => splits)).toContainEqual(['train', 'test'])
    const experiment = await startExperiment(of, { budget: { patience: 30, maxCalls: 600 } })
    const ended = await experimentWith(of.client, experiment.path)
    expect(ended.status).toBe('completed')
    const rows = await iterationsOf(of.client, experiment.path)
    const copied = rows.filter(({ fate }) => fate === 'copied')
    expect(copied.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(PHRASE)
    expect(await resultsOf(of.client, experiment.path)).toMatchObject({ rejected: { copied: copied.length } })
  })

  it('items that are nearly the same get one split, and items keep theirs for the next experiment', async () => {
    const texts = Array.from(
      { length: 40 },
      (_, place) => `How do I change the address of customer ${place % 4} in the portal?`,
    )
    const others = ruleItems(60)
    const items = [
      ...texts.map((question, place) => ({ input: JSON.stringify({ question: `${question} ${'!'.repeat(place)}` }) })),
      ...others,
    ]
    const of = await seedExperiment(app(), { items })
    const created = await of.client.post(experimentsPath(of), experimentBody(of))
    expect(created.status, created.text).toBe(201)
    const listed = async () => of.client.list(`/components/${of.componentId}/datasets/${of.datasetId}/items?limit=100`)
    const before = await listed()
    const alike = before.filter(({ input }) => String(input).includes('How do I change'))
    expect(new Set(alike.map(({ split }) => split)).size).toBe(1)
    expect(before.every(({ split }) => split !== null)).toBe(true)
    const next = experimentBody(of, { splits: { train: 0.5, validation: 0.2, test: 0.3, seed: 8 } })
    const dry = await of.client.post(`${experimentsPath(of)}?dry_run=true`, next)
    expect(dry.body).toMatchObject({ drawn: 0, leaks: [], items: created.body.items })
  })

  it('each experiment opens the test split once, and from the third opening on the summaries say so', async () => {
    const of = await seedExperiment(app(), { items: ruleItems(24), answer: answerAtOnce })
    const body = { allowTooFew: true }
    for (const openings of [1, 2, 3]) {
      const { path } = await startExperiment(of, { ...body, name: `number ${openings}` })
      await experimentWith(of.client, path)
      const results = await resultsOf(of.client, path)
      expect(results).toMatchObject({ verdict: 'tooFewCases', openings })
      expect(/has decided 3 times/.test(String(results.summary))).toBe(openings === 3)
    }
    const dry = await of.client.post(`${experimentsPath(of)}?dry_run=true`, experimentBody(of, body))
    expect(dry.body).toMatchObject({ openings: 3, summary: expect.stringMatching(/has decided 3 times before/) })
  })

  it('an item that the search has read is no test item, also if it is moved into the split meanwhile', async () => {
    const of = await seedExperiment(app(), { items: ruleItems(24), answer: answerAtOnce })
    const { path } = await createExperiment(of, { allowTooFew: true })
    const items = `/components/${of.componentId}/datasets/${of.datasetId}/items`
    const trained = (await of.client.list(`${items}?limit=100`)).find(({ split }) => split === 'train')
    const move = async (split: string) => of.client.post(`${items}/bulk`, { ids: [trained?.id], set: { split } })
    expect((await move('test')).status).toBe(200)
    expect((await of.client.post(`${path}/start`, undefined)).status).toBe(202)
    const failed = await experimentWith(of.client, path)
    expect(failed).toMatchObject({ status: 'failed', trialId: null })
    expect(failed.error).toBe(
      '1 item that the search has read is in the test split now; move it back, and resume the experiment',
    )
    expect((await move('train')).status).toBe(200)
    expect((await of.client.post(`${path}/resume`, undefined)).status).toBe(202)
    await experimentWith(of.client, path)
    expect(await resultsOf(of.client, path)).toMatchObject({ verdict: 'tooFewCases', openings: 1 })
  })

  it('without a better candidate the test split stays closed', async () => {
    const of = await seedExperiment(app(), {
      answer: (request) =>
        isReflection(request)
          ? proposal(messagesIn(request.user), (text) => `${text} ${request.user.length}`)
          : 'wrong',
    })
    const { path } = await startExperiment(of, { budget: { patience: 4 } })
    expect(await experimentWith(of.client, path)).toMatchObject({
      status: 'completed',
      endedBy: 'patience',
      trialId: null,
    })
    const results = await resultsOf(of.client, path)
    expect(results).toMatchObject({
      verdict: 'noFinalist',
      test: null,
      openings: 0,
      rejected: { noGain: expect.any(Number) },
    })
    expect(await of.client.list(`/components/${of.componentId}/datasets/${of.datasetId}/test-openings`)).toEqual([])
    expect(await of.client.list(`/components/${of.componentId}/trials`)).toEqual([])
  })

  it('a finalist must not lose more than the margin of another metric, and a judge without labels is named', {
    tags: 'deep',
  }, async () => {
    const of = await seedExperiment(app(), {
      answer: (request) => {
        if (request.system.startsWith('You are an impartial judge')) return judgeBySchema(request)
        return isReflection(request) ? reflectByRules(request) : `${answerByRules(request)}`
      },
    })
    const evaluators = [
      { type: 'exactMatch', name: 'correct' },
      { type: 'contains', name: 'wrong', value: 'wrong' },
      { type: 'llmJudge', name: 'helpful', instructions: 'Is it helpful?', model: 'model-1' },
    ]
    const objectives = [
      { metric: 'correct', role: 'improve' },
      { metric: 'wrong', role: 'notWorse', margin: 0 },
    ]
    const { path } = await startExperiment(of, { evaluators, objectives, budget: { maxCalls: 900 } })
    const ended = await experimentWith(of.client, path)
    expect(ended.warnings).toEqual([expect.stringMatching(/^How well helpful agrees with people is unknown/)])
    expect(ended).toMatchObject({ status: 'completed', validation: { best: { mean: 1 } } })
    expect(await resultsOf(of.client, path)).toMatchObject({ verdict: 'noFinalist' })
  })

  it('the test reports what the search has improved, and not a constant that comes before it', async () => {
    const of = await seedExperiment(app(), { answer: answerAtOnce })
    const evaluators = [
      { type: 'regex', name: 'a word', pattern: '^\\w+$' },
      { type: 'exactMatch', name: 'correct' },
    ]
    const objectives = [
      { metric: 'correct', role: 'improve' },
      { metric: 'a word', role: 'notWorse' },
    ]
    const { path } = await startExperiment(of, { evaluators, objectives })
    await experimentWith(of.client, path)
    expect(await resultsOf(of.client, path)).toMatchObject({
      verdict: 'improved',
      test: { metric: 'correct', finalists: [{ comparison: { difference: 1 } }] },
    })
  })
})

function messagesIn(user: string): Row[] {
  const { prompt }: { prompt: { messages: Row[] } } = JSON.parse(user)
  return prompt.messages
}
