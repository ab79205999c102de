import { describe, expect, it } from 'vitest'
import { drawAll } from '../annotations/rated-run.ts'
import { slowJudge } from '../fault/judged-cases.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  connectModel,
  ended,
  evaluated,
  JUDGE,
  metricOf,
  QUICK,
  type Row,
  rowsIn,
  seedComponent,
  seedItems,
  until,
} from './evaluating.ts'

const ITEMS = 40
const EVALUATORS = [{ type: 'exactMatch', name: 'right' }]

/** What passes and what does not is decided by pure functions, which have tests of their own: `gate-verdict.test.ts`. */
describeEachEngine(
  'the gate of an evaluation',
  (app) => {
    /** Two runs over forty items, of which the first so many are answered rightly. */
    async function seedRuns({ before, after }: { before: number; after: number }) {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const items = Array.from({ length: ITEMS }, (_, place) => ({ input: `q${place}`, expected: 'right' }))
      const { datasetId, itemIds } = await seedItems(seeded, items)
      const run = async (name: string, rightOnes: number) => {
        const runId = await client.create(`${below}/runs`, { datasetId, name })
        const traces = itemIds.map((itemId, place) => {
          return { traceId: `${name}-${place}`, run: name, itemId, output: place < rightOnes ? 'right' : 'wrong' }
        })
        await client.post(`${below}/traces`, { traces })
        return runId
      }
      const baselineRunId = await run('before', before)
      const runId = await run('after', after)
      const compared = async (more = '') => {
        const path = `${below}/comparisons?baseline=${baselineRunId}&candidate=${runId}${more}`
        return (await client.get(path)).body
      }
      return { ...seeded, datasetId, baselineRunId, runId, compared }
    }

    type Runs = Pick<Awaited<ReturnType<typeof seedRuns>>, 'datasetId' | 'runId' | 'baselineRunId'> &
      Awaited<ReturnType<typeof seedComponent>>

    async function gated(seeded: Runs, gate: Row) {
      const { datasetId, runId, baselineRunId } = seeded
      await evaluated(seeded, { datasetId, runId: baselineRunId, config: { evaluators: EVALUATORS } })
      const config = { evaluators: EVALUATORS, baselineRunId, gate }
      return evaluated(seeded, { datasetId, runId, config })
    }

    it('passes a run that is shown to be not worse, with the summary of the comparison', async () => {
      const seeded = await seedRuns({ before: 20, after: 38 })
      const body = await gated(seeded, { metric: 'right' })
      const { gate, comparison } = Object(body.results)
      expect(gate.passed).toBe(true)
      const compared = await seeded.compared()
      expect(gate.summary).toMatch(
        /^Passed: right is not worse by more than the margin of 0\.05 \(.*\)\. The margin is the default, 5 % of the scale\. /,
      )
      const { data: _, looks: counted, warnings, prompts, ...expected } = compared
      // The gate was the look; reading the same result again is none.
      expect([counted, warnings]).toEqual([1, []])
      expect(comparison).toEqual(expected)
      expect(comparison.verdict).toBe('improved')
    })

    it('with sequential decides by evidence that allows repeated looks', async () => {
      const seeded = await seedRuns({ before: 36, after: 38 })
      const wanted = { metric: 'right', margin: 0.3, sequential: true }
      const { gate, comparison } = Object((await gated(seeded, wanted)).results)
      expect(gate).toMatchObject({ passed: true, summary: expect.stringMatching(/^Passed: right is not worse/) })
      const [right] = rowsIn(comparison.metrics).filter(({ name }) => name === 'right')
      expect(Object(right).test).toMatchObject({ method: expect.stringContaining('e-value') })
      // Without parameters, a comparison has the margin and the rule of the gate.
      const { data: _, looks: __, warnings: ___, prompts, ...read } = await seeded.compared()
      expect(read).toMatchObject({ margin: 0.3, looking: { rule: 'sequential' } })
      expect(await seeded.compared('&margin=0.01&sequential=false')).toMatchObject({
        margin: 0.01,
        looking: { rule: 'single' },
      })
      expect(comparison).toEqual(read)
      // How many items any number of looks would need is not known.
      const strict = Object((await gated(seeded, { ...wanted, margin: 0.05 })).results).gate
      expect(strict.summary).toMatch(/^Not passed: right may be worse by more than the margin of 0\.05 /)
      expect(strict.summary).not.toContain('are needed to pass')
      // Each group counts once, with its mean.
      const { client, below, datasetId } = seeded
      const settings = { body: { groupBy: 'metadata.document' } }
      expect((await client.send('PATCH', `${below}/datasets/${datasetId}/settings`, settings)).status).toBe(200)
      expect(Object((await gated(seeded, wanted)).results).gate).toMatchObject({ passed: true })
    })

    it('says from its second look on that it holds for one look only', async () => {
      const seeded = await seedRuns({ before: 20, after: 38 })
      const first = Object((await gated(seeded, { metric: 'right' })).results)
      expect(first.gate.summary).not.toContain('compared')
      // Evaluated again: the same runs with a new result.
      const { gate } = Object((await gated(seeded, { metric: 'right' })).results)
      expect(gate.summary).toMatch(
        /These runs were compared 2 times with different results, .* several in more\. Plan the looks/,
      )
    })

    it('fails a run that is shown to be worse, with the verdict of the comparison', async () => {
      const seeded = await seedRuns({ before: 38, after: 20 })
      const body = await gated(seeded, { metric: 'right' })
      expect(body.status).toBe('completed')
      const { gate } = Object(body.results)
      const compared = await seeded.compared()
      expect(compared.verdict).toBe('regressed')
      expect(gate).toEqual({
        passed: false,
        summary: expect.stringMatching(/^Not passed: right (may be|is) worse by more than the margin of 0\.05 /),
      })
    })

    it('by ratings is not decided with fewer than thirty of them', async () => {
      const seeded = await seedRuns({ before: 30, after: 30 })
      const { client, below, workspaceId, runId, baselineRunId } = seeded
      for (const id of [baselineRunId, runId]) await drawAll(app(), { workspaceId, runId: id })
      for (let place = 0; place < 25; place += 1) {
        for (const [name, id] of Object.entries({ before: baselineRunId, after: runId })) {
          const rating = place % 5 === 0 ? 'negative' : 'positive'
          await client.create(`${below}/runs/${id}/annotations`, { traceDbId: `${name}-${place}`, rating })
        }
      }
      const { gate } = Object((await gated(seeded, { metric: 'right', corrected: true, margin: 0.5 })).results)
      expect(gate).toEqual({
        passed: false,
        summary: expect.stringMatching(
          /^Cannot decide: a gate by ratings needs at least 30 items that are rated in both runs\. .* 25 items are rated/,
        ),
      })
    })

    it('keeps the scores if the baseline run is deleted meanwhile, and reports why it is undecided', async () => {
      const seeded = await seedRuns({ before: 30, after: 30 })
      const { client, admin, below, datasetId, runId, baselineRunId, at } = seeded
      const server = await connectModel({ admin }, { answer: slowJudge(5) })
      const evaluators = [{ type: 'exactMatch', name: 'right' }, JUDGE]
      const config = { evaluators, provider: 'judges', baselineRunId, gate: { metric: 'right' } }
      const path = `${at}/${await client.create(at, { datasetId, runId, config })}`
      await until(() => expect(server.requests.length).toBeGreaterThan(0))
      expect((await client.delete(`${below}/runs/${baselineRunId}`)).status).toBe(204)
      const body = await ended(client, path)
      expect(body).toMatchObject({ status: 'completed', error: null })
      expect(Object(body.results).gate).toEqual({
        passed: false,
        summary: 'Cannot decide: the run to compare with has been deleted.',
      })
      expect(metricOf(body, 'right')).toMatchObject({ n: 40 })
    })

    describe('with items that a run lacks', () => {
      type Seeding = {
        /** What the candidate did with an item; undefined if it has no trace. */
        answer: (place: number) => Row | undefined
        answerBefore?: (place: number) => Row | undefined
        splitOf?: (place: number) => string | undefined
      }

      /** 200 items, of which the baseline answers the first 140 rightly. */
      async function seedUnanswered({
        answer,
        answerBefore = (place) => ({ output: place < 140 ? 'right' : 'wrong' }),
        splitOf = () => undefined,
      }: Seeding) {
        const seeded = await seedComponent(app())
        const { client, below } = seeded
        const items = Array.from({ length: 200 }, (_, place) => {
          return { input: `q${place}`, expected: 'right', split: splitOf(place) }
        })
        const { datasetId, itemIds } = await seedItems(seeded, items)
        const run = async (name: string, outcome: (place: number) => Row | undefined) => {
          const runId = await client.create(`${below}/runs`, { datasetId, name })
          const traces = itemIds.flatMap((itemId, place) => {
            const found = outcome(place)
            return found === undefined ? [] : [{ traceId: `${name}-${place}`, run: name, itemId, ...found }]
          })
          await client.post(`${below}/traces`, { traces })
          return runId
        }
        const baselineRunId = await run('v1', answerBefore)
        const runId = await run('v2', answer)
        const compared = async () =>
          (await client.get(`${below}/comparisons?baseline=${baselineRunId}&candidate=${runId}`)).body
        return { ...seeded, datasetId, baselineRunId, runId, compared }
      }

      it('fails if 90 of 200 have no trace, even if the others improved', async () => {
        // No trace for 61 of them, and one without an output for 29.
        const seeded = await seedUnanswered({
          answer: (place) => (place < 110 ? { output: 'right' } : place < 139 ? { status: 'error' } : undefined),
        })
        const { gate } = Object((await gated(seeded, { metric: 'right', margin: 0.05 })).results)
        expect(gate).toEqual({
          passed: false,
          summary:
            'Cannot decide: 90 of 200 items have no answer in v2, and at most 2 % may lack right. Run and evaluate them first.',
        })
        const metric = rowsIn((await seeded.compared()).metrics).find(({ name }) => name === 'right')
        expect(metric).toMatchObject({
          verdict: 'noClearDifference',
          missingItems: { items: 200, incomplete: 90, baseline: 0, candidate: 90, failed: 0 },
          summary: expect.stringMatching(/ 90 of 200 items have no answer in v2\.$/),
        })
        // At its lower end, the 90 count as wrong in v2.
        expect(Object(metric).ci[0]).toBeLessThan(-0.15)
      })

      it('cannot be decided if neither run answered 60 of 200, with or without a trace', async () => {
        // Both lost the last 60: 40 without a trace, and 20 with one that failed.
        const answer = (place: number) =>
          place < 140 ? { output: 'right' } : place < 160 ? { status: 'error' } : undefined
        const seeded = await seedUnanswered({ answer, answerBefore: answer })
        const gate = { metric: 'right', margin: 0.05 }
        expect(Object((await gated(seeded, gate)).results).gate).toEqual({
          passed: false,
          summary:
            'Cannot decide: 60 of 200 items have no answer in either run, and at most 2 % may lack right. Run and evaluate them first.',
        })
        const metric = rowsIn((await seeded.compared()).metrics).find(({ name }) => name === 'right')
        expect(metric).toMatchObject({
          items: 140,
          difference: 0,
          missingItems: { items: 200, incomplete: 60, baseline: 60, candidate: 60, neither: 60 },
          summary: expect.stringMatching(/ 60 of 200 items have no answer in either run\.$/),
        })
        // What neither run answered says nothing about their difference: the interval is that of 140 items.
        expect(Object(metric).ci).toEqual([expect.closeTo(-Object(metric).ci[1], 10), expect.closeTo(0.021, 3)])
        const allowed = await gated(seeded, { ...gate, maxMissing: 0.3 })
        expect(Object(allowed.results).gate).toMatchObject({ passed: true })
      })

      it('is decided if the runs cover one split, and what was added after them is not missing', async () => {
        // One of the 80 items of the split has no answer, and none of the others was meant.
        const answer = (place: number) => (place < 79 ? { output: 'right' } : undefined)
        const seeded = await seedUnanswered({
          answer,
          answerBefore: answer,
          splitOf: (place) => (place < 80 ? 'validation' : undefined),
        })
        const { client, below, datasetId } = seeded
        const added = Array.from({ length: 50 }, (_, place) => ({ input: `new ${place}`, split: 'validation' }))
        expect((await client.post(`${below}/datasets/${datasetId}/items`, added)).status).toBe(201)
        const { gate, comparison } = Object((await gated(seeded, { metric: 'right', margin: 0.1 })).results)
        expect(gate).toEqual({
          passed: true,
          summary: expect.stringMatching(/ 1 of 80 items has no answer in either run\.$/),
        })
        expect(comparison.summary).not.toContain('tried')
      })

      it('is decided on a sample of the dataset, and says so', async () => {
        const answer = (place: number) => (place < 70 ? { output: 'right' } : undefined)
        const seeded = await seedUnanswered({ answer, answerBefore: answer })
        const { gate, comparison } = Object((await gated(seeded, { metric: 'right', margin: 0.1 })).results)
        expect(gate).toMatchObject({
          passed: true,
          summary: expect.stringMatching(/ The runs tried 70 of 200 items of the dataset\.$/),
        })
        expect(comparison.summary).toMatch(/ The runs tried 70 of 200 items of the dataset\.$/)
        const metric = rowsIn(comparison.metrics).find(({ name }) => name === 'right')
        expect(metric).toMatchObject({ missingItems: { items: 70, neither: 0, summary: null } })
      })
    })

    it('without a run to compare with, or with one of another dataset, ends the evaluation with a message', async () => {
      const seeded = await seedRuns({ before: 1, after: 1 })
      const { client, below, datasetId, runId } = seeded
      const gate = { metric: 'right' }
      const without = await evaluated(seeded, { datasetId, runId, config: { gate } })
      expect(without.error).toBe('config.gate needs config.baselineRunId, the run to compare with')
      const other = await client.create(`${below}/datasets`, { name: 'Other' })
      const foreign = await client.create(`${below}/runs`, { datasetId: other })
      for (const baselineRunId of [foreign, runId.replace(/.$/, '0').replace(/^./, 'f')]) {
        const body = await evaluated(seeded, { datasetId, runId, config: { gate, baselineRunId } })
        expect(body).toMatchObject({
          status: 'failed',
          results: null,
          error: 'config.baselineRunId must be a run of the same dataset, and there is none with this id',
        })
      }
    })
  },
  QUICK,
)
