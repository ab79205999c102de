import { expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { compared, metricNamed, rowsOf, seedRegression } from './read-comparison.ts'
import { passesOf, seedComparison } from './seed-comparison.ts'

describeEachEngine(
  'a comparison of two runs',
  (app) => {
    it('names the regressed metric, its interval and the test', async () => {
      const seeded = await seedRegression(app())
      const body = await compared(seeded)
      const { baseline, candidate } = seeded
      expect(body).toMatchObject({
        baseline: { runId: baseline.runId, name: 'A', traceCount: 40, evaluationId: baseline.evaluationId },
        candidate: { runId: candidate.runId, name: 'B', traceCount: 40, evaluationId: candidate.evaluationId },
        pairs: 40,
        onlyBaseline: 0,
        onlyCandidate: 0,
        failed: 0,
        total: 40,
        verdict: 'regressed',
        notCompared: [],
      })
      // McNemar: 1 gained and 9 lost, mid-p = 2 · (1 + 10 / 2) / 2¹⁰. Nothing is tested with it: in error nothing
      // differs, so that no test could show anything, and the duration is merely reported.
      expect(metricNamed(body, 'right')).toMatchObject({
        kind: 'binary',
        role: 'quality',
        n: 40,
        items: 40,
        missing: 0,
        wins: 1,
        ties: 30,
        losses: 9,
        difference: -0.2,
        baseline: { mean: 0.975 },
        candidate: { mean: 0.775 },
        test: {
          method: 'mid-p McNemar test',
          p: expect.closeTo(12 / 1024, 10),
          pAdjusted: expect.closeTo(12 / 1024, 10),
        },
        verdict: 'regressed',
        notWorseThanMargin: null,
      })
      expect(body.summary).toMatch(/^B is worse than A on right by 0\.20 \(95 % CI 0\.0\d to 0\.3\d, 40 items\)\./)
    })

    it('lists items that changed from pass to fail and from fail to pass', async () => {
      const seeded = await seedRegression(app())
      const { itemIds } = seeded
      expect(metricNamed(await compared(seeded), 'right').flips).toEqual({
        toFail: itemIds.slice(0, 9).sort(),
        toFailCount: 9,
        toPass: [itemIds[9]],
        toPassCount: 1,
      })
    })

    it('includes the metrics of traces, which do not affect the overall verdict', async () => {
      const body = await compared(await seedRegression(app()))
      expect(metricNamed(body, 'durationMs')).toMatchObject({
        role: 'reported',
        higherIsBetter: false,
        difference: -50,
        wins: 40,
        verdict: 'improved',
        scale: null,
        ci: null,
      })
      expect(metricNamed(body, 'durationMs').summary).toBe(
        'B takes 0.58 × the time of A (95 % CI 0.56 to 0.59, 40 of 40 items).',
      )
      expect(metricNamed(body, 'error')).toMatchObject({
        role: 'quality',
        kind: 'binary',
        verdict: 'noClearDifference',
        n: 40,
      })
      expect(metricNamed(body, 'costUsd')).toMatchObject({
        n: 0,
        missing: 0,
        verdict: 'tooFewCases',
        difference: null,
      })
    })

    it('counts and lists items of one run only, and failed ones, and loses none', async () => {
      const failing = { state: 'failed' } as const
      const seeded = await seedComparison(app(), {
        items: 20,
        baseline: [
          ...passesOf(15, (place) => ({ scores: { helpful: place === 3 ? failing : 0.5 } })),
          { item: null, scores: { helpful: 0.1 } },
          { item: 0, scores: { helpful: 0.2 } },
        ],
        candidate: passesOf(20, (place) => ({ scores: { helpful: place === 4 ? failing : 0.5 } })).slice(1),
      })
      const body = await compared(seeded, 'limit=100')
      // Fourteen items are in both runs. Of the baseline's, two passes over item 0 and one over nothing are left over.
      expect(body).toMatchObject({ pairs: 14, onlyBaseline: 3, onlyCandidate: 5, failed: 2, total: 22 })
      const rows = rowsOf(body)
      expect(rows).toHaveLength(22)
      expect(rows.filter(({ candidateTraceId }) => candidateTraceId === null).map(({ itemId }) => itemId)).toEqual(
        expect.arrayContaining([null, seeded.itemIds[0]]),
      )
      expect(rows.filter(({ baselineTraceId }) => baselineTraceId === null)).toHaveLength(5)
      const failed = rows.filter(({ failed: names }) => names.length > 0)
      expect(new Set(failed.map(({ itemId }) => itemId))).toEqual(new Set([seeded.itemIds[3], seeded.itemIds[4]]))
      const helpful = metricNamed(body, 'helpful')
      expect(helpful).toMatchObject({ n: 12, missing: 8, failed: 2, missingItems: { baseline: 6, candidate: 2 } })
    })

    it('pairs the second pass over an item with the second in the rows, and counts the item once', async () => {
      const passes = (shift: number) =>
        [0, 1].flatMap((repeated) =>
          passesOf(12, (place) => ({ scores: { helpful: (place + repeated * 6 + shift) / 24 } })),
        )
      const seeded = await seedComparison(app(), { items: 12, baseline: passes(0), candidate: passes(1) })
      const body = await compared(seeded, 'limit=100')
      expect(body).toMatchObject({ pairs: 24, total: 24, onlyBaseline: 0, onlyCandidate: 0 })
      expect(metricNamed(body, 'helpful')).toMatchObject({
        items: 12,
        values: { baseline: 24, candidate: 24 },
        wins: 12,
        ties: 0,
        losses: 0,
      })
      const deltas = rowsOf(body).flatMap(({ scores }) => scores.filter(({ name }) => name === 'helpful'))
      expect(deltas).toHaveLength(24)
      for (const { delta } of deltas) expect(delta).toBeCloseTo(1 / 24, 12)
    })

    it('weighs items and not traces: ten repetitions make the value of an item more exact, never heavier', async () => {
      // 40 items are tried ten times and gain 0.3, 60 are tried once and lose 0.28: the mean falls.
      const often = (score: number) =>
        Array.from({ length: 10 }, () => passesOf(40, () => ({ scores: { helpful: score } }))).flat()
      const once = (score: number) => passesOf(100, () => ({ scores: { helpful: score } })).slice(40)
      const seeded = await seedComparison(app(), {
        items: 100,
        baseline: [...often(0.5), ...once(0.5)],
        candidate: [...often(0.8), ...once(0.22)],
        metrics: [{ name: 'helpful', kind: 'numeric', scale: [0, 1], higherIsBetter: true }],
      })
      const helpful = metricNamed(await compared(seeded, 'margin=0.05'), 'helpful')
      expect(helpful).toMatchObject({
        items: 100,
        values: { baseline: 460, candidate: 460 },
        difference: expect.closeTo(0.4 * 0.3 - 0.6 * 0.28, 10),
        wins: 40,
        losses: 60,
        notWorseThanMargin: false,
      })
      expect(['regressed', 'noClearDifference']).toContain(helpful.verdict)
    })

    it('shows the repetitions of an evaluator by their number, and uses all of them for the value of an item', async () => {
      const repeated = (...scores: number[]) => scores.map((score) => ({ score }))
      const seeded = await seedComparison(app(), {
        items: 10,
        baseline: passesOf(10, () => ({ scores: { judge: repeated(0.2, 0.4, 0.6) } })),
        candidate: passesOf(10, () => ({ scores: { judge: repeated(0.3, 0.4) } })),
      })
      const body = await compared(seeded)
      expect(metricNamed(body, 'judge')).toMatchObject({
        items: 10,
        values: { baseline: 30, candidate: 20 },
        missing: 0,
        losses: 10,
        difference: expect.closeTo(-0.05, 12),
      })
      expect(rowsOf(body)[0]?.scores.filter(({ name }) => name === 'judge')).toEqual([
        { name: 'judge', repetition: 1, baseline: 0.2, candidate: 0.3, delta: expect.closeTo(0.1, 12) },
        { name: 'judge', repetition: 2, baseline: 0.4, candidate: 0.4, delta: 0 },
        { name: 'judge', repetition: 3, baseline: 0.6, candidate: null, delta: null },
      ])
    })

    it('uses the scale and the direction that the evaluation reports', async () => {
      const metrics = [{ name: 'distance', kind: 'numeric', scale: [1, 5], higherIsBetter: false }]
      const seeded = await seedComparison(app(), {
        items: 30,
        baseline: passesOf(30, (place) => ({ scores: { distance: 3 + (place % 3) / 2 } })),
        candidate: passesOf(30, (place) => ({ scores: { distance: 2 + (place % 4) / 4 } })),
        metrics,
      })
      const body = await compared(seeded)
      expect(metricNamed(body, 'distance')).toMatchObject({ scale: [1, 5], higherIsBetter: false, verdict: 'improved' })
      expect(body.verdict).toBe('improved')
    })

    it('lists flips by the evaluator’s own line, also of scores that are not 0 or 1', async () => {
      const score = (value: number) => ({ judge: { score: value, passed: value >= 0.5 } })
      const seeded = await seedComparison(app(), {
        items: 12,
        baseline: passesOf(12, (place) => ({ scores: score(place === 0 ? 0.4 : 0.6) })),
        candidate: passesOf(12, (place) => ({ scores: score(place === 1 ? 0.4 : 0.7) })),
      })
      expect(metricNamed(await compared(seeded), 'judge').flips).toEqual({
        toFail: [seeded.itemIds[1]],
        toFailCount: 1,
        toPass: [seeded.itemIds[0]],
        toPassCount: 1,
      })
    })

    it('counts the changes between labels, without a verdict on them', async () => {
      const metrics = [{ name: 'topic', kind: 'categorical', scale: null, higherIsBetter: true }]
      const seeded = await seedComparison(app(), {
        items: 10,
        baseline: passesOf(10, () => ({ scores: { topic: { label: 'billing' } } })),
        candidate: passesOf(10, (place) => ({ scores: { topic: { label: place < 2 ? 'refund' : 'billing' } } })),
        metrics,
      })
      const body = await compared(seeded)
      expect(body.labels).toEqual([
        {
          name: 'topic',
          n: 10,
          missing: 0,
          failed: 0,
          same: { mean: 0.8, ci: [expect.closeTo(0.4902, 3), expect.closeTo(0.9433, 3)], method: expect.any(String) },
          changes: [{ from: 'billing', to: 'refund', count: 2, items: seeded.itemIds.slice(0, 2).sort() }],
        },
      ])
      expect(JSON.stringify(body.metrics)).not.toContain('topic')
      expect(rowsOf(body)[0]?.scores).toContainEqual(expect.objectContaining({ name: 'topic', delta: null }))
    })

    it('names evaluators of one evaluation only, and those with different scales', async () => {
      const seeded = await seedComparison(app(), {
        items: 10,
        baseline: passesOf(10, () => ({ scores: { old: 1, both: 1 } })),
        candidate: passesOf(10, () => ({ scores: { fresh: 1, both: 1 } })),
        metrics: [{ name: 'both', kind: 'numeric', scale: [0, 1], higherIsBetter: true }],
      })
      await app().storage.transaction((tx) =>
        tx
          .updateTable('evaluations')
          .set({
            results: JSON.stringify({
              metrics: [{ name: 'both', kind: 'numeric', scale: [1, 5], higherIsBetter: true }],
            }),
          })
          .where('id', '=', seeded.candidate.evaluationId)
          .execute(),
      )
      const { baseline, candidate } = seeded
      const asCandidate = { runId: baseline.runId, evaluationId: candidate.evaluationId }
      expect((await compared(seeded)).notCompared).toEqual([
        {
          name: 'fresh',
          reason: 'only the candidate was evaluated with it: evaluate the baseline the same way',
          evaluate: asCandidate,
        },
        {
          name: 'old',
          reason: 'only the baseline was evaluated with it: evaluate the candidate the same way',
          evaluate: { runId: candidate.runId, evaluationId: baseline.evaluationId },
        },
        {
          name: 'both',
          reason: 'the two evaluations measure it on different scales: evaluate the baseline like the candidate',
          evaluate: asCandidate,
        },
      ])
    })

    it('uses the evaluator if it has the name of a metric of traces', async () => {
      const seeded = await seedComparison(app(), {
        items: 30,
        baseline: passesOf(30, (place) => ({ scores: { durationMs: 0.5 + (place % 3) / 100 } })),
        candidate: passesOf(30, (place) => ({ scores: { durationMs: 0.1 + (place % 4) / 100 } })),
        metrics: [{ name: 'durationMs', kind: 'numeric', scale: [0, 1], higherIsBetter: false }],
      })
      const body = await compared(seeded)
      const { verdict, summary } = metricNamed(body, 'durationMs')
      expect(verdict).toBe('improved')
      expect(summary).toMatch(/^B is better than A on durationMs by 0\.\d+ \(95 % CI /)
      expect(body.notCompared).toContainEqual({
        name: 'durationMs',
        reason: 'an evaluator has the same name',
        evaluate: null,
      })
    })

    it.each([
      [1_000_000, -1_000_000],
      [5e-324, 0],
    ])('compares ratings that are worth as much and as little as a scheme allows: %d and %d', async (high, low) => {
      const nothing = passesOf(12, () => ({}))
      const seeded = await seedComparison(app(), { items: 12, baseline: nothing, candidate: nothing })
      const { client, component, baseline, candidate } = seeded
      const ratings = [
        { value: 'a', score: high },
        { value: 'b', score: low },
      ]
      const { status } = await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
      expect(status).toBe(200)
      for (let place = 0; place < 12; place += 1) {
        const say = ({ runId, traceIds }: typeof baseline, rating: string) =>
          client.create(`${component}/runs/${runId}/annotations`, { traceDbId: traceIds[place], rating })
        await say(baseline, place < 6 ? 'a' : 'b')
        await say(candidate, place < 2 ? 'b' : 'a')
      }
      expect(metricNamed(await compared(seeded), 'rating')).toMatchObject({ n: 12, wins: 6, ties: 4, losses: 2 })
    })

    it('counts no rating that was taken back', async () => {
      const nothing = passesOf(12, () => ({}))
      const seeded = await seedComparison(app(), { items: 12, baseline: nothing, candidate: nothing })
      const { client, component, workspaceId, baseline, candidate } = seeded
      const other = await browserWith(app(), workspaceId, 'annotator')
      for (let place = 0; place < 12; place += 1) {
        const say = ({ runId, traceIds }: typeof baseline, rating: string, by = client) =>
          by.create(`${component}/runs/${runId}/annotations`, { traceDbId: traceIds[place], rating })
        await say(baseline, 'negative')
        await say(candidate, 'positive')
        await say(candidate, 'negative', other)
        await say(candidate, '', other)
      }
      expect(metricNamed(await compared(seeded), 'rating')).toMatchObject({ n: 12, missing: 0, wins: 12 })
    })

    it('compares the mean of the ratings of an item, so that no item is lost on which raters disagree', async () => {
      const seeded = await seedComparison(app(), {
        items: 12,
        baseline: passesOf(12, () => ({})),
        candidate: passesOf(12, () => ({})),
      })
      const { client, component, workspaceId, baseline, candidate } = seeded
      const second = app().asPerson(await app().newPerson([{ workspaceId, role: 'annotator' }]), workspaceId)
      for (let place = 0; place < 12; place += 1) {
        const say = (run: typeof baseline, rating: string, by = client) =>
          by.create(`${component}/runs/${run.runId}/annotations`, { traceDbId: run.traceIds[place], rating })
        await say(baseline, 'positive')
        await say(candidate, place < 3 ? 'negative' : 'positive')
        if (place === 11) await say(candidate, 'negative', second)
        if (place === 10) await say(candidate, 'something else', second)
      }
      // At item 11 one says positive and one negative; at 10 one gives a rating that is not in the scheme.
      expect(metricNamed(await compared(seeded), 'rating')).toMatchObject({
        role: 'quality',
        n: 12,
        missing: 0,
        baseline: { mean: 1 },
        candidate: { mean: expect.closeTo((8 + 0.5) / 12, 12) },
        losses: 4,
        wins: 0,
        ties: 8,
      })
    })
  },
  { works: false },
)
