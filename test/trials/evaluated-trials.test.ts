import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { eventsOf } from '../harness/event-stream.ts'
import { waitFor } from '../harness/wait-for.ts'
import { price, type Row } from '../playground/trying.ts'
import { readTrial, seedPromptTrials, startTrial, trialWith, version } from './seed-trial.ts'

describeEachEngine('the end of a trial', (app) => {
  const evaluation = {
    evaluators: [{ type: 'contains', name: 'brief', value: 'briefly' }],
    gate: { metric: 'brief', margin: 0.05 },
  }

  it('evaluates each run, compares it with the baseline as one family, and ranks the variants', async () => {
    const of = await seedPromptTrials(app(), { items: 40, answer: ({ user }) => user })
    const variants = [version(of.promptId, 1), version(of.promptId, 2), version(of.promptId, 2, { model: 'model-2' })]
    const trial = await startTrial(of, { variants, evaluation })
    const ended = await trialWith(of.client, trial.path)
    expect(ended).toMatchObject({ status: 'completed', endedBy: 'done', error: null })
    const [first, second, third]: Row[] = Object(ended.variants)
    expect(first).toMatchObject({ comparison: null, durationMs: { median: expect.any(Number) } })
    expect(second).toMatchObject({ comparison: { verdict: 'improved', summary: expect.stringContaining('brief') } })
    expect(third).toMatchObject({ comparison: { verdict: 'improved', difference: 1 } })
    expect(first).toMatchObject({ quality: { mean: 0, ci: [0, expect.any(Number)], items: 40 } })
    expect(second).toMatchObject({ quality: { mean: 1, ci: [expect.any(Number), 1], items: 40 } })
    expect(ended.ranking).toMatchObject({
      best: expect.stringMatching(/^v2/),
      metric: 'brief',
      higherIsBetter: true,
      // The two best are equal, and have gained in all items: there is no spread for an interval.
      summary: expect.stringMatching(
        /^v2.* has the best brief of 2 candidates.*\(40 items\)\. No variant is shown to be better than each of the others\.$/,
      ),
      expectedOnNew: { difference: 1, ci: null },
    })
    for (const { evaluationId, runId } of [first, second, third].map((variant) => Object(variant))) {
      const { body } = await of.client.get(`/components/${of.componentId}/evaluations/${evaluationId}`)
      expect(body).toMatchObject({ status: 'completed', runId, progress: { total: 40, done: 40 } })
    }
    const [baseline, candidate] = [first, second].map((variant) => String(Object(variant).runId))
    const compared = await of.client.get(
      `/components/${of.componentId}/comparisons?baseline=${baseline}&candidate=${candidate}`,
    )
    expect(compared.body).toMatchObject({ pairs: 40, verdict: 'improved', looks: expect.any(Number) })
  })

  it('expects less of the best of several on new items than on those that it was chosen by', {
    tags: 'deep',
  }, async () => {
    const isLucky = (text: string) => createHash('sha256').update(text).digest().readUInt8() % 2 === 0
    const of = await seedPromptTrials(app(), {
      items: 40,
      answer: ({ user, body }) => (isLucky(`${body.temperature} ${user}`) ? 'briefly' : 'at length'),
    })
    const temperatures = [0.1, 0.2, 0.3, 0.4, 0.5]
    const variants = [0, ...temperatures].map((temperature) => version(of.promptId, 1, { parameters: { temperature } }))
    const trial = await startTrial(of, { variants, evaluation })
    const { ranking, front } = await trialWith(of.client, trial.path)
    const lucky = (temperature: number) =>
      Array.from({ length: 40 }, (_, place) => isLucky(`${temperature} Answer: question ${place + 1}`)).filter(Boolean)
    const rates = temperatures.map((temperature) => lucky(temperature).length / 40)
    const onSame = Math.max(...rates) - lucky(0).length / 40
    const { best, expectedOnNew, summary }: Row = Object(ranking)
    expect(best).toBe(`v1 temperature=${temperatures[rates.indexOf(Math.max(...rates))]}`)
    const { difference, ci }: { difference: number; ci: [number, number] } = Object(expectedOnNew)
    expect(difference).toBeLessThan(onSame)
    expect(ci[0]).toBeLessThan(difference)
    expect(ci[1]).toBeGreaterThan(difference)
    expect(summary).toMatch(/No variant is shown to be better than each of the others\.$/)
    const means = new Map(Object(front).map((one: Row) => [one.variant, Object(one.quality).mean]))
    expect(means.get(best)).toBe(Math.max(...rates))
  })

  it('names the cheapest variant that is not worse, and not one that is cheaper still and worse', async () => {
    const of = await seedPromptTrials(app(), {
      items: 40,
      answer: ({ body }) => (body.model === 'model-3' ? 'at length' : 'briefly'),
    })
    for (const [place, modelPattern] of ['model-1', 'model-2', 'model-3'].entries())
      await price(of, { modelPattern, outputPerMillion: 100 / 4 ** place })
    const named = (model: string) => ({ name: model, ...version(of.promptId, 1, { model }) })
    const variants = [named('model-1'), named('model-2'), named('model-3')]
    const gate = { metric: 'brief', margin: 0.2 }
    const trial = await startTrial(of, { variants, evaluation: { ...evaluation, gate } })
    const { cheapest, front, ranking } = await trialWith(of.client, trial.path)
    expect(cheapest).toEqual({
      variant: 'model-2',
      summary:
        'model-2 is the cheapest that is not worse than model-1 on brief by more than the margin of 0.2: it costs 0.25 × as much (corrected for 2 candidates, 40 items).',
    })
    const shown: Row[] = Object(front)
    const two = shown.find(({ variant }) => variant === 'model-2')
    const three = shown.find(({ variant }) => variant === 'model-3')
    expect(two).toEqual({
      variant: 'model-2',
      quality: { mean: 1, ci: [expect.closeTo(0.912, 3), 1] },
      costUsd: expect.any(Number),
      durationMs: expect.any(Number),
    })
    expect(three).toMatchObject({ quality: { mean: 0 } })
    expect(three?.costUsd).toBeLessThan(Number(two?.costUsd))
    expect(ranking).toMatchObject({ best: 'model-2' })
  })

  it('ranks by quality if the gate is about the duration, whose margin is none of the quality', async () => {
    const of = await seedPromptTrials(app(), { items: 12, answer: ({ user }) => user })
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const gate = { metric: 'durationMs', margin: 1.5 }
    const trial = await startTrial(of, { variants, evaluation: { ...evaluation, gate } })
    const ended = await trialWith(of.client, trial.path)
    expect(ended).toMatchObject({ ranking: { best: 'v2', metric: 'brief' }, cheapest: null })
    // Prices are not configured.
    expect(Object(ended.front)).toContainEqual(expect.objectContaining({ variant: 'v2', costUsd: null }))
    expect(Object(ended.variants)[1]).toMatchObject({ comparison: { verdict: 'improved' } })
  })

  it('counts the items of a group once, and expects nothing from fewer than ten groups', async () => {
    const rows = Array.from({ length: 18 }, (_, place) => ({
      input: JSON.stringify({ question: `question ${place}` }),
      metadata: { chat: `chat ${place % 6}` },
    }))
    const of = await seedPromptTrials(app(), { items: rows, answer: ({ user }) => user })
    const dataset = `/components/${of.componentId}/datasets/${of.datasetId}`
    expect((await of.client.patch(`${dataset}/settings`, { groupBy: 'metadata.chat' })).status).toBe(200)
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const trial = await startTrial(of, { variants, evaluation })
    const { ranking } = await trialWith(of.client, trial.path)
    expect(ranking).toMatchObject({
      best: 'v2',
      expectedOnNew: null,
      summary: expect.stringContaining('too few groups to say what to expect on new items (18 items in 6 groups)'),
    })
  })

  it('withholds comparisons that rest on ratings, because all readers get the same', async () => {
    const of = await seedPromptTrials(app(), { items: 2, answer: ({ user }) => user })
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const evaluators = [...evaluation.evaluators, { type: 'humanRating', name: 'people', positive: ['good'] }]
    // The ratings come between the answers and the scores, which wait for a client.
    const external = { type: 'external', name: 'later', timeoutMinutes: 10 }
    const trial = await startTrial(of, { variants, evaluation: { evaluators: [...evaluators, external] } })
    const evaluated = async (place: number) => {
      const { id, runId } = await waitFor('an evaluation', async () => {
        const { variants: all } = await readTrial(of.client, trial.path)
        const { evaluationId, runId: run } = Object(all)[place]
        return evaluationId ? { id: String(evaluationId), runId: String(run) } : undefined
      })
      const traces = await of.client.list(`/components/${of.componentId}/runs/${runId}/traces`)
      const rated = traces.map(({ id: traceDbId }) => ({ traceDbId, rating: 'good' }))
      for (const body of rated) await of.client.create(`/components/${of.componentId}/runs/${runId}/annotations`, body)
      const path = `/components/${of.componentId}/evaluations/${id}/scores`
      const scores = rated.map(({ traceDbId }) => ({ evaluator: 'later', traceDbId: String(traceDbId), score: 1 }))
      await waitFor('delivered scores', async () => {
        const { status, body } = await of.client.post(path, { scores })
        return status === 200 && Object(body.unknown).length === 0 ? true : undefined
      })
    }
    await evaluated(0)
    await evaluated(1)
    const ended = await trialWith(of.client, trial.path)
    expect(ended).toMatchObject({ status: 'completed', ranking: null, cheapest: null, front: null })
    expect(Object(ended.variants)).toMatchObject([{ comparison: null }, { comparison: null }])
  })

  it('a trial opens the test split once, with all of its evaluations and their comparisons', async () => {
    const rows = Array.from({ length: 6 }, (_, place) => ({
      input: JSON.stringify({ question: `question ${place}` }),
      split: 'test',
    }))
    const of = await seedPromptTrials(app(), { items: rows, answer: ({ user }) => user })
    const { client, componentId, datasetId, promptId } = of
    const variants = [1, 2, 2].map((number, place) => ({ name: `variant ${place}`, ...version(promptId, number) }))
    const gate = { metric: 'brief', margin: 0.1 }
    const plan = { variants, split: 'test', evaluation: { ...evaluation, gate } }
    const openings = async () =>
      (await client.list(`/components/${componentId}/datasets/${datasetId}/test-openings`)).map(
        ({ openedAt: _, ...opening }) => opening,
      )
    const first = await startTrial(of, plan)
    expect(await trialWith(client, first.path)).toMatchObject({ status: 'completed', ranking: { metric: 'brief' } })
    const ofFirst = { trialId: first.id, evaluationId: null, runIds: [] }
    expect(await openings()).toEqual([ofFirst])
    const [baseline, candidate] = first.runs.map(({ runId }) => runId)
    const compared = await client.get(
      `/components/${componentId}/comparisons?baseline=${candidate}&candidate=${baseline}`,
    )
    expect(compared.body).toMatchObject({ testSet: { openings: 1 } })
    const second = await startTrial(of, plan)
    await trialWith(client, second.path)
    expect(await openings()).toEqual([{ ...ofFirst, trialId: second.id }, ofFirst])
    // Runs of two trials are another choice.
    await client.get(`/components/${componentId}/comparisons?baseline=${baseline}&candidate=${second.runs[1]?.runId}`)
    expect(await openings()).toHaveLength(3)
  })

  it('without an evaluation, ends with the runs', async () => {
    const of = await seedPromptTrials(app(), { items: 2 })
    const trial = await startTrial(of, { variants: [version(of.promptId, 1)] })
    const ended = await trialWith(of.client, trial.path)
    expect(ended).toMatchObject({ status: 'completed', ranking: null, variants: [{ evaluationId: null }] })
  })

  it('is streamed, with progress that adds up', async () => {
    const of = await seedPromptTrials(app(), { items: 5 })
    const trial = await startTrial(of, { variants: [version(of.promptId, 1)] })
    const response = await fetch(`${app().url}/api/v1${trial.path}/events`, {
      headers: { authorization: `Bearer ${of.key}` },
    })
    const events: { name: string; data: Row }[] = []
    for await (const event of eventsOf(response)) events.push(event)
    expect(events.at(-1)).toEqual({ name: 'end', data: { status: 'completed', endedBy: 'done', error: null } })
    expect(events.filter(({ name }) => name === 'progress').at(-1)?.data).toMatchObject({
      status: 'completed',
      progress: { total: 5, done: 5, failed: 0, skipped: 0 },
    })
  })
})
