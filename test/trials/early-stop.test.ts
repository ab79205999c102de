import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/wait-for.ts'
import { price, type Row } from '../playground/trying.ts'
import {
  allCalls,
  complete,
  type LeasedCall,
  leaseSome,
  readTrial,
  seedComponent,
  seedPromptTrials,
  startTrial,
  trialsPath,
  trialWith,
  version,
  WORKER,
} from './seed-trial.ts'

type Taken = {
  items: number
  leader: Row | null
  variants: { name: string; evidence: number; threshold: number; ci: number[] }[]
}

const taken = (trial: Row): Taken[] => Object(trial.looks).taken
const variantsOf = (trial: Row): Row[] => Object(trial.variants)

describeEachEngine('trials that stop early', (app) => {
  const evaluation = { evaluators: [{ type: 'contains', name: 'brief', value: 'briefly' }] }

  it('end a variant at the first look that decides it, skip its other calls, and show the verdict of the looks', async () => {
    const of = await seedPromptTrials(app(), { items: 100, answer: ({ user }) => user })
    const same = version(of.promptId, 1, { model: 'model-2' })
    const variants = [version(of.promptId, 1), version(of.promptId, 2), same]
    const trial = await startTrial(of, { variants, evaluation, stopEarly: true })
    const ended = await trialWith(of.client, trial.path)
    expect(ended).toMatchObject({
      status: 'completed',
      endedBy: 'decided',
      error: null,
      looks: { rule: 'sequential', metric: 'brief', plannedItems: [10, 20, 30, 40, 50, 60, 70, 80, 90, 100] },
      plan: { stopEarly: true, plannedLooks: null },
    })
    const [baseline, better, equal] = variantsOf(ended)
    // All items gain, so the first look decides; nothing differs in the other, which is hopeless from half of the items on.
    expect(better).toMatchObject({ done: 10, skipped: 90, endedBy: 'decided', reason: 'Decided after 10 of 100 items' })
    expect(better?.comparison).toMatchObject({
      verdict: 'improved',
      summary: expect.stringMatching(
        /^v2 is better than v1 on brief by 1 \(95 % CI for any number of looks 0\.\d+ to 1\.00, 10 of 100 items\)\.$/,
      ),
    })
    expect(equal).toMatchObject({ done: 50, skipped: 50, endedBy: 'futile' })
    expect(equal?.comparison).toMatchObject({
      verdict: 'noClearDifference',
      summary: expect.stringContaining('more items would hardly have shown one'),
    })
    expect(baseline).toMatchObject({ done: 50, skipped: 50, endedBy: null, comparison: null })
    expect(taken(ended).map(({ items, variants: seen }) => [items, seen.length])).toEqual([
      [10, 2],
      [20, 1],
      [30, 1],
      [40, 1],
      [50, 1],
    ])
    // All items gain by the whole scale, so that new ones are expected to; nothing is ahead once only the equal one is left.
    const expectedOnNew = { difference: 1, ci: null }
    expect(taken(ended)[0]?.leader).toEqual({ name: 'v2', difference: 1, expectedOnNew })
    expect(taken(ended)[1]?.leader).toBeNull()
    expect(taken(ended)[0]?.variants[0]).toMatchObject({ name: 'v2', threshold: expect.any(Number) })
    const skipped = await allCalls(of.client, trial.path, '&state=skipped')
    expect(skipped).toHaveLength(190)
    expect(skipped.every(({ isRetryable }) => isRetryable !== true)).toBe(true)
    expect((await of.client.post(`${trial.path}/retry`, undefined)).status).toBe(409)
    const runs = variantsOf(ended).map(({ runId }) => runId)
    const compared = await of.client.get(
      `/components/${of.componentId}/comparisons?baseline=${runs[0]}&candidate=${runs[1]}`,
    )
    // Who compares the runs elsewhere reads the rule for any number of looks, too.
    expect(compared.body).toMatchObject({ looking: { rule: 'sequential' }, verdict: 'improved' })
  })

  it('planned looks decide at their own levels, and go on to the end without a difference', {
    tags: 'deep',
  }, async () => {
    const of = await seedPromptTrials(app(), { items: 40, answer: ({ user }) => user })
    const variants = [version(of.promptId, 1), version(of.promptId, 1, { model: 'model-2' })]
    const trial = await startTrial(of, { variants, evaluation, plannedLooks: 4 })
    const ended = await trialWith(of.client, trial.path)
    expect(ended).toMatchObject({ endedBy: 'done', progress: { done: 80, skipped: 0 }, plan: { plannedLooks: 4 } })
    expect(taken(ended).map(({ items }) => items)).toEqual([10, 20, 30, 40])
    const levels = taken(ended).map(({ variants: [only] }) => only?.threshold ?? 0)
    expect(levels).toEqual(levels.toSorted((a, b) => a - b))
    expect(levels[0]).toBeLessThan(0.001)
    expect(levels[3]).toBeLessThan(0.05)
    expect(taken(ended).every(({ variants: [only] }) => only?.evidence === 1)).toBe(true)
    expect(variantsOf(ended)[1]?.comparison).toMatchObject({
      verdict: 'noClearDifference',
      summary: expect.stringContaining('corrected for look 4 of 4'),
    })
  })

  it('no call of a later look begins before a look has allowed it, and a failed answer counts at its worst', async () => {
    const of = await seedComponent(app(), 20)
    const variants = [
      { ...WORKER, name: 'old' },
      { ...WORKER, name: 'new' },
    ]
    const trial = await startTrial(of, { variants, evaluation, stopEarly: true })
    const first = await leaseSome(of.client, of.componentId)
    // Ten items of two variants are the first look.
    expect(first).toHaveLength(20)
    const answer = async (call: LeasedCall, output: string) =>
      expect((await complete(of.client, trial.path, call, output)).status).toBe(200)
    for (const call of first) await answer(call, call.variant === 'old' ? 'briefly' : 'at length')
    const ended = await trialWith(of.client, trial.path)
    expect(ended).toMatchObject({ endedBy: 'decided', progress: { done: 20, skipped: 20 } })
    expect(variantsOf(ended)[1]?.comparison).toMatchObject({
      verdict: 'regressed',
      summary: expect.stringMatching(/^new is worse than old on brief by 1 /),
    })
  })

  it('goes on with the next look when the first one decides nothing', async () => {
    const of = await seedComponent(app(), 40)
    const variants = [
      { ...WORKER, name: 'old' },
      { ...WORKER, name: 'new' },
    ]
    const trial = await startTrial(of, { variants, evaluation, stopEarly: true })
    const leased: LeasedCall[] = []
    // Looks at 12 and 16 of 40 items; from 20 on, no difference is hopeless.
    for (const expected of [24, 32]) {
      while (leased.length < expected) {
        const calls = await leaseSome(of.client, of.componentId)
        leased.push(...calls)
        expect(leased.length).toBeLessThanOrEqual(expected)
        for (const call of calls) await complete(of.client, trial.path, call, 'briefly')
      }
      await waitFor(
        'the look',
        async () =>
          taken(await readTrial(of.client, trial.path)).some(({ items }) => 2 * items === expected) || undefined,
      )
    }
    const running = await readTrial(of.client, trial.path)
    expect(running).toMatchObject({ status: expect.stringMatching(/running|completed/), error: null })
    expect(taken(running)[0]?.variants).toEqual([
      expect.objectContaining({ name: 'new', evidence: 1, threshold: 20, difference: 0 }),
    ])
  })

  it('items of a group are answered before the same look, and count once', async () => {
    const rows = Array.from({ length: 60 }, (_, place) => ({
      input: JSON.stringify({ question: `question ${place}` }),
      metadata: { chat: `chat ${place % 20}` },
    }))
    const of = await seedPromptTrials(app(), { items: rows, answer: ({ user }) => user })
    const dataset = `/components/${of.componentId}/datasets/${of.datasetId}`
    expect((await of.client.patch(`${dataset}/settings`, { groupBy: 'metadata.chat' })).status).toBe(200)
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const trial = await startTrial(of, { variants, evaluation, stopEarly: true })
    const ended = await trialWith(of.client, trial.path)
    // Ten groups of three items.
    expect(ended).toMatchObject({ endedBy: 'decided', progress: { done: 60, skipped: 60 } })
    expect(taken(ended)[0]).toMatchObject({ items: 30 })
  })

  it('names the gate that is kept, and goes on until it is', { tags: 'deep' }, async () => {
    const of = await seedPromptTrials(app(), { items: 100, answer: () => 'briefly' })
    const gate = { metric: 'brief', margin: 0.2 }
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const trial = await startTrial(of, { variants, evaluation: { ...evaluation, gate }, stopEarly: true })
    const ended = await trialWith(of.client, trial.path)
    expect(ended).toMatchObject({ endedBy: 'futile' })
    expect(variantsOf(ended)[1]?.comparison).toMatchObject({
      summary: expect.stringMatching(/v2 is not worse by more than the margin of 0\.2\.$/),
    })
  })

  it('the budget ends a trial between two looks, whose verdict so far stays', async () => {
    const of = await seedPromptTrials(app(), { items: 40, answer: () => 'briefly' })
    await price(of, { modelPattern: 'model-1', outputPerMillion: 1_000 })
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const trial = await startTrial(of, { variants, evaluation, stopEarly: true, maxCostUsd: 0.16 })
    const ended = await trialWith(of.client, trial.path)
    // Each answer costs $0.002, and $0.10 are reserved for the next one.
    expect(ended).toMatchObject({ endedBy: 'budget', progress: { done: 31, skipped: 49 } })
    expect(taken(ended).map(({ items }) => items)).toEqual([12])
    expect(variantsOf(ended)[1]?.comparison).toMatchObject({
      verdict: 'noClearDifference',
      summary: expect.stringContaining('12 of 40 items'),
    })
  })

  it.each([
    ['without evaluators', { stopEarly: true }, 'looks at scores while the trial runs; set "evaluation"'],
    ['two rules', { stopEarly: true, plannedLooks: 3, evaluation }, 'are two rules for looks'],
    [
      'a metric of the traces',
      { stopEarly: true, evaluation: { ...evaluation, gate: { metric: 'durationMs' } } },
      'durationMs is none of evaluation.evaluators',
    ],
    [
      'too few items',
      { stopEarly: true, evaluation },
      'needs at least 10 different items or groups, because fewer decide nothing, and there are 3',
    ],
    [
      'a judge',
      {
        plannedLooks: 3,
        evaluation: {
          evaluators: [{ type: 'llmJudge', name: 'kind', instructions: 'Is it kind?' }],
          provider: 'models',
        },
      },
      'cannot look at kind, because it asks a model',
    ],
  ])('rejects %s with the remedy', async (_, body, message) => {
    const of = await seedPromptTrials(app())
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const { status, body: answer } = await of.client.post(trialsPath(of), {
      datasetId: of.datasetId,
      variants,
      ...body,
    })
    expect({ status, answer }).toEqual({ status: 400, answer: { error: expect.stringContaining(message) } })
  })
})
