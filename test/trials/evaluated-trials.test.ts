import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { eventsOf } from '../harness/event-stream.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Row } from '../playground/trying.ts'
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
    expect(third).toMatchObject({ comparison: { verdict: 'improved' } })
    expect(ended.ranking).toMatchObject({
      best: expect.stringMatching(/^v2/),
      metric: 'brief',
      expectedOnNew: { difference: 1 },
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
    expect(ended).toMatchObject({ status: 'completed', ranking: null })
    expect(Object(ended.variants)).toMatchObject([{ comparison: null }, { comparison: null }])
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
