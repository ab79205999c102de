import { expect, it } from 'vitest'
import { lowerEnd } from '../../src/statistics/paired/p-function.ts'
import { pairedRates } from '../../src/statistics/paired/paired-rates.ts'
import {
  connectModel,
  evaluated,
  QUICK,
  type Row,
  rowsIn,
  seedComponent,
  seedItems,
} from '../evaluation-engine/evaluating.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { AskedRequest } from '../harness/model-server.ts'
import { metricNamed } from './read-comparison.ts'

const PAIRWISE = { type: 'pairwise', name: 'better' }

/** Prefers the answers with the greater number, in whichever order they are shown: `after 7: 1` to `before 7: 0`. */
function byContent({ user }: AskedRequest): Row {
  const { first, second } = JSON.parse(user)
  const [one, other] = [first, second].map((answer) => Number(String(answer).split(': ')[1]))
  return { reason: 'by its number', winner: one === other ? 'tie' : Number(one) > Number(other) ? 'first' : 'second' }
}

describeEachEngine(
  'GET …/comparisons with a judge of both answers',
  (app) => {
    /** Runs of one dataset by name. Each has the number of its answers by item; undefined: no answer. */
    async function seedRuns(runs: Record<string, (number | undefined)[]>) {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const [first = []] = Object.values(runs)
      const { datasetId, itemIds } = await seedItems(
        seeded,
        first.map((_, place) => ({ input: `question ${place}` })),
      )
      const runIds: Record<string, string> = {}
      for (const [name, answers] of Object.entries(runs)) {
        runIds[name] = await client.create(`${below}/runs`, { datasetId, name })
        const traces = answers.map((answer, place) => ({
          traceId: `${name}-${place}`,
          run: name,
          itemId: itemIds[place],
          ...(answer === undefined ? { status: 'error' } : { output: `${name} ${place}: ${answer}` }),
        }))
        expect((await client.post(`${below}/traces`, { traces })).status).toBe(201)
      }
      const at = (baseline: string, candidate: string) =>
        `${below}/comparisons?baseline=${runIds[baseline]}&candidate=${runIds[candidate]}`
      const judge = (runName: string, against: string, config: Row = {}) =>
        evaluated(seeded, {
          datasetId,
          runId: runIds[runName],
          config: { evaluators: [PAIRWISE], provider: 'judges', baselineRunId: runIds[against], ...config },
        })
      return { ...seeded, datasetId, itemIds, runIds, at, judge }
    }

    const before = Array.from({ length: 40 }, () => 1)
    /** 20 preferred, 4 not, 16 ties. */
    const after = Array.from({ length: 40 }, (_, place) => (place < 20 ? 2 : place < 24 ? 0 : 1))

    it('has the verdict and the numbers of paired yes/no values, and passes a gate', async () => {
      const seeded = await seedRuns({ before, after })
      await connectModel(seeded, { answer: byContent })
      const { results } = await seeded.judge('after', 'before', { gate: { metric: 'better' } })
      expect(Object(results).gate).toMatchObject({
        passed: true,
        summary: expect.stringMatching(
          /^Passed: better is not worse by more than the margin of 0\.05 .* is preferred to/,
        ),
      })
      const { body } = await seeded.client.get(seeded.at('before', 'after'))
      const metric = metricNamed(body, 'better')
      expect(body).toMatchObject({ verdict: 'improved', notCompared: [] })
      expect(metric).toMatchObject({
        role: 'quality',
        verdict: 'improved',
        wins: 20,
        ties: 16,
        losses: 4,
        baseline: { mean: 0.5, ci: null },
        candidate: { mean: 0.7 },
        orderFlips: { count: 0, n: 40 },
      })
      expect(metric.difference).toBeCloseTo(0.2, 12)
      expect(metric.summary).toBe(
        'after is preferred to before on better: share 0.70 against 0.50 (95 % CI 0.59 to 0.79, 40 items).',
      )
    })

    it('a judge that always prefers the first answer sees no difference, and its order flips are counted', async () => {
      const seeded = await seedRuns({ before, after })
      await connectModel(seeded, { answer: () => ({ reason: 'first', winner: 'first' }) })
      await seeded.judge('after', 'before')
      const { body } = await seeded.client.get(seeded.at('before', 'after'))
      expect(metricNamed(body, 'better')).toMatchObject({
        verdict: 'noClearDifference',
        difference: 0,
        ties: 40,
        orderFlips: { count: 40, n: 40 },
        summary: expect.stringContaining('changed its choice with the order of the answers in 40 of 40'),
      })
    })

    it('is not compared if its judge compared with another run', async () => {
      const seeded = await seedRuns({ before, after, older: before })
      await connectModel(seeded, { answer: byContent })
      await seeded.judge('after', 'older')
      const { body } = await seeded.client.get(seeded.at('before', 'after'))
      expect(body.notCompared).toEqual([
        { name: 'better', reason: 'its judge compared with another run', evaluate: null },
      ])
      expect(rowsIn(body.metrics).map(({ name }) => name)).not.toContain('better')
    })

    it('is compared by the judge of these two runs, although a newer one of the same name compared with a third run', {
      tags: 'deep',
    }, async () => {
      const seeded = await seedRuns({ before, after, older: before })
      await connectModel(seeded, { answer: byContent })
      await seeded.judge('after', 'before')
      await seeded.judge('after', 'older')
      for (const baseline of ['before', 'older'])
        expect((await seeded.client.get(seeded.at(baseline, 'after'))).body).toMatchObject({ verdict: 'improved' })
    })

    it('passes a gate although items were edited since the baseline was evaluated, because the judge saw both answers', async () => {
      const seeded = await seedRuns({ before, after })
      await connectModel(seeded, { answer: byContent })
      const evaluators = [{ type: 'regex', name: 'digit', pattern: '[0-9]' }]
      await seeded.judge('before', 'after', { evaluators, baselineRunId: undefined })
      const item = `${seeded.below}/datasets/${seeded.datasetId}/items/${seeded.itemIds[39]}`
      expect((await seeded.client.send('PATCH', item, { body: { expected: 'a number' } })).status).toBe(200)
      const { results } = await seeded.judge('after', 'before', {
        evaluators: [...evaluators, PAIRWISE],
        gate: { metric: 'better' },
      })
      expect(Object(results).gate).toMatchObject({
        passed: true,
        summary: expect.stringMatching(/^Passed: .*39 items\).*1 item was edited .* and not compared\./),
      })
    })

    it('is mirrored if the runs are swapped', async () => {
      const seeded = await seedRuns({ before, after })
      await connectModel(seeded, { answer: byContent })
      await seeded.judge('after', 'before')
      const [one, other] = [
        metricNamed((await seeded.client.get(seeded.at('before', 'after'))).body, 'better'),
        metricNamed((await seeded.client.get(seeded.at('after', 'before'))).body, 'better'),
      ]
      const [low, high] = rangeIn(one.ci)
      expect(other).toMatchObject({ verdict: 'regressed', wins: 4, ties: 16, losses: 20, baseline: { mean: 0.5 } })
      expect(rangeIn(other.ci)).toEqual([-high, -low])
      expect(Object(other.candidate).mean).toBeCloseTo(0.3, 12)
    })

    it('items without an answer in one run count at the worst value, and decide no gate', async () => {
      const unanswered = (answers: number[], from: number, to: number) =>
        answers.map((answer, place) => (place >= from && place < to ? undefined : answer))
      const seeded = await seedRuns({ before: unanswered(before, 0, 2), after: unanswered(after, 36, 40) })
      await connectModel(seeded, { answer: byContent })
      const { results } = await seeded.judge('after', 'before', { gate: { metric: 'better' } })
      expect(Object(results).gate).toMatchObject({
        passed: false,
        summary:
          'Cannot decide: 4 of 40 items have no answer in after and 2 of 40 items have no answer in before, and at most 2 % may lack better. Run and evaluate them first.',
      })
      const { body } = await seeded.client.get(seeded.at('before', 'after'))
      const better = metricNamed(body, 'better')
      expect(better).toMatchObject({
        n: 34,
        missingItems: { items: 40, incomplete: 6, candidate: 4, baseline: 2, neither: 0 },
      })
      // As shares against ½, half as far from it as gains and losses are from 0.
      const { wins, losses } = Object(better)
      const asLost = pairedRates({ gained: wins, lost: losses + 6, items: 40 })
      expect(2 * rangeIn(better.ci)[0]).toBeCloseTo(lowerEnd(asLost, 1 - Number(better.confidence)), 8)
    })
  },
  QUICK,
)

function rangeIn(value: unknown): [number, number] {
  const [low, high]: unknown[] = Array.isArray(value) ? value : []
  return [Number(low), Number(high)]
}
