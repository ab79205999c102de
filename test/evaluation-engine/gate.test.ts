import { describe, expect, it } from 'vitest'
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

type IsBad = (run: 'before' | 'after', place: number) => boolean

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

    async function gated(seeded: Runs, gate: Row, before: readonly Row[] = EVALUATORS) {
      const { datasetId, runId, baselineRunId } = seeded
      await evaluated(seeded, { datasetId, runId: baselineRunId, config: { evaluators: before } })
      const config = { evaluators: EVALUATORS, baselineRunId, gate }
      return evaluated(seeded, { datasetId, runId, config })
    }

    function sentenceOf(comparison: Row, name: string): string {
      return String(rowsIn(comparison.metrics).find((metric) => metric.name === name)?.summary)
    }

    it('passes what is shown to be not worse, with the message of the comparison', async () => {
      const seeded = await seedRuns({ before: 20, after: 38 })
      const body = await gated(seeded, { metric: 'right' })
      const { gate, comparison } = Object(body.results)
      expect(gate.passed).toBe(true)
      const compared = await seeded.compared()
      expect(gate.summary).toBe(
        `Passed: right is not worse than the margin of 0.05 (5 % of the scale, the default). ${sentenceOf(compared, 'right')}`,
      )
      const { data: _, looks: counted, warnings, ...told } = compared
      // The gate was the look; reading the same result again is none.
      expect([counted, warnings]).toEqual([1, []])
      expect(comparison).toEqual(told)
      expect(comparison.verdict).toBe('improved')
    })

    /** People rate all items of both runs: negative before or after where `isBad` says so. */
    async function rate({ client, below, baselineRunId, runId }: Awaited<ReturnType<typeof seedRuns>>, isBad: IsBad) {
      for (const [run, id] of [
        ['before', baselineRunId],
        ['after', runId],
      ] as const) {
        for (let place = 0; place < ITEMS; place += 1) {
          const rating = isBad(run, place) ? 'negative' : 'positive'
          await client.create(`${below}/runs/${id}/annotations`, { traceDbId: `${run}-${place}`, rating })
        }
      }
    }

    it('decides by what people would see, if it is to be corrected by their ratings', async () => {
      const seeded = await seedRuns({ before: 30, after: 30 })
      await rate(seeded, (run, place) => run === 'after' && place < 15)
      const worse = Object((await gated(seeded, { metric: 'right', corrected: true })).results)
      expect(worse.comparison.verdict).toBe('regressed')
      expect(worse.gate).toMatchObject({ passed: false, summary: expect.stringMatching(/^Not passed: people may see/) })
      const [right] = rowsIn(worse.comparison.metrics).filter(({ name }) => name === 'right')
      expect(right).toMatchObject({ verdict: 'noClearDifference', corrected: { verdict: 'regressed', labels: ITEMS } })
      await rate(seeded, (run, place) => run === 'before' && place < 15)
      const better = Object((await gated(seeded, { metric: 'right', corrected: true })).results)
      expect(better.gate).toMatchObject({ passed: true, summary: expect.stringMatching(/^Passed: people see no loss/) })
    })

    it('decides by evidence that holds however often one looks, if it is to be sequential', async () => {
      const seeded = await seedRuns({ before: 36, after: 38 })
      const wanted = { metric: 'right', margin: 0.3, sequential: true }
      const { gate, comparison } = Object((await gated(seeded, wanted)).results)
      expect(gate).toMatchObject({ passed: true, summary: expect.stringMatching(/^Passed: right is not worse/) })
      const [right] = rowsIn(comparison.metrics).filter(({ name }) => name === 'right')
      // Two items rose and none fell: B(3, 1) · 2² = 4 / 3.
      expect(Object(right).test).toMatchObject({ statistic: expect.closeTo(4 / 3, 12), p: expect.closeTo(3 / 4, 12) })
      const { data: _, looks: __, warnings: ___, ...read } = await seeded.compared('&margin=0.3&sequential=true')
      expect(comparison).toEqual(read)
    })

    it('cannot be sequential for a dataset with groups, and such a comparison is rejected', async () => {
      const seeded = await seedRuns({ before: 20, after: 38 })
      const { client, below, datasetId } = seeded
      const settings = { body: { groupBy: 'metadata.document' } }
      expect((await client.send('PATCH', `${below}/datasets/${datasetId}/settings`, settings)).status).toBe(200)
      const { gate } = Object((await gated(seeded, { metric: 'right', sequential: true })).results)
      expect(gate).toEqual({
        passed: false,
        summary: 'Cannot decide: a sequential gate needs a dataset without groups.',
      })
      expect(await seeded.compared('&sequential=true')).toEqual({
        error: 'A sequential comparison needs a dataset without groups',
      })
    })

    it('fails what is shown to be worse, with the same verdict as the comparison', async () => {
      const seeded = await seedRuns({ before: 38, after: 20 })
      const body = await gated(seeded, { metric: 'right' })
      expect(body.status).toBe('completed')
      const { gate } = Object(body.results)
      const compared = await seeded.compared()
      expect(compared.verdict).toBe('regressed')
      expect(gate).toEqual({
        passed: false,
        summary: `Not passed: right may be worse by more than 0.05 (5 % of the scale, the default). ${sentenceOf(compared, 'right')}`,
      })
    })

    it('with a margin asks for proof that it is not worse by more than that', async () => {
      const same = await seedRuns({ before: 30, after: 30 })
      const wide = Object((await gated(same, { metric: 'right', margin: 0.5 })).results)
      expect(wide.gate).toMatchObject({
        passed: true,
        summary: expect.stringMatching(/not worse than the margin of 0\.5/),
      })
      const metric = rowsIn((await same.compared('&margin=0.5')).metrics).find(({ name }) => name === 'right')
      expect(metric?.notWorseThanMargin).toBe(true)
      const narrow = Object((await gated(same, { metric: 'right', margin: 0.001 })).results)
      const proof = rowsIn((await same.compared('&margin=0.001')).metrics).find(({ name }) => name === 'right')
      expect(narrow.gate.passed).toBe(proof?.notWorseThanMargin)
    })

    it('says when the two runs were measured with different instruments of one name, as the comparison does', async () => {
      const seeded = await seedRuns({ before: 20, after: 38 })
      const other = [{ type: 'exactMatch', name: 'right', ignoreCase: true, trim: false }]
      const { gate, comparison } = Object((await gated(seeded, { metric: 'right' }, other)).results)
      const warning =
        'The two evaluations configure ignoreCase, trim of right differently, which may cause the difference.'
      const [metric] = rowsIn(comparison.metrics).filter(({ name }) => name === 'right')
      expect(metric?.warning).toBe(warning)
      expect(gate.summary).toBe(
        `Passed: right is not worse than the margin of 0.05 (5 % of the scale, the default). ${metric?.summary} ${warning}`,
      )
      expect((await seeded.compared()).metrics).toEqual(comparison.metrics)
      const same = Object((await gated(seeded, { metric: 'right' })).results).comparison
      expect(rowsIn(same.metrics).map((one) => one.warning)).toEqual(rowsIn(same.metrics).map(() => null))
    })

    it('keeps what was scored if the run to compare with is deleted meanwhile, and says why it cannot tell', async () => {
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

    it('is refused with a key that it does not know: a margin that is misspelt would be none', async () => {
      const seeded = await seedRuns({ before: 1, after: 1 })
      const body = await gated(seeded, { metric: 'right', margn: 0.1 })
      expect(body.error).toBe(
        'config.gate.margn is not known; a gate has metric, margin, maxMissing, corrected and sequential',
      )
    })

    describe('with items that the candidate does not answer', () => {
      /** 200 items, of which the baseline answers the first 140 rightly; `answer` is what the candidate did with an item. */
      async function seedUnanswered(answer: (place: number) => Row | undefined) {
        const seeded = await seedComponent(app())
        const { client, below } = seeded
        const items = Array.from({ length: 200 }, (_, place) => ({ input: `q${place}`, expected: 'right' }))
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
        const baselineRunId = await run('v1', (place) => ({ output: place < 140 ? 'right' : 'wrong' }))
        const runId = await run('v2', answer)
        const compared = async () =>
          (await client.get(`${below}/comparisons?baseline=${baselineRunId}&candidate=${runId}`)).body
        return { ...seeded, datasetId, baselineRunId, runId, compared }
      }

      it('stays shut if it sent no trace for 90 of 200, whatever the others show', async () => {
        const seeded = await seedUnanswered((place) => (place < 110 ? { output: 'right' } : undefined))
        const { gate } = Object((await gated(seeded, { metric: 'right', margin: 0.05 })).results)
        expect(gate).toEqual({ passed: false, summary: 'Cannot decide: 90 of 200 items have no answer in v2.' })
        const metric = rowsIn((await seeded.compared()).metrics).find(({ name }) => name === 'right')
        expect(metric).toMatchObject({
          verdict: 'noClearDifference',
          missingItems: { items: 200, incomplete: 90, baseline: 0, candidate: 90, failed: 0 },
          summary: expect.stringMatching(/ 90 of 200 items have no answer in v2\.$/),
        })
      })

      it('stays shut if 29 of 200 ended in an error without an output', async () => {
        const seeded = await seedUnanswered((place) => (place < 29 ? { status: 'error' } : { output: 'right' }))
        const { gate } = Object((await gated(seeded, { metric: 'right', margin: 0.05 })).results)
        expect(gate).toEqual({ passed: false, summary: 'Cannot decide: 29 of 200 items have no answer in v2.' })
      })

      it('counts up to 2 % of them, or the share that it names, at the worst value', async () => {
        // 3 of 200 are lost. Without them nothing changed; with them counted as wrong, the difference is −0.015.
        const answer = (place: number) => (place < 3 ? undefined : { output: place < 140 ? 'right' : 'wrong' })
        const seeded = await seedUnanswered(answer)
        const narrow = Object((await gated(seeded, { metric: 'right', margin: 0.02 })).results)
        const [low] = Object(rowsIn(narrow.comparison.metrics).find(({ name }) => name === 'right')).missingItems.ci
        expect(low).toBeLessThan(-0.015)
        expect(narrow.gate.passed).toBe(false)
        expect(narrow.gate.summary).toMatch(/3 of 200 items have no answer in v2/)
        expect(Object((await gated(seeded, { metric: 'right', margin: 0.06 })).results).gate.passed).toBe(true)
        const strict = Object((await gated(seeded, { metric: 'right', margin: 0.06, maxMissing: 0 })).results)
        expect(strict.gate.summary).toBe('Cannot decide: 3 of 200 items have no answer in v2.')
      })

      it('is refused with a share of missing items that is none', async () => {
        const seeded = await seedRuns({ before: 1, after: 1 })
        expect((await gated(seeded, { metric: 'right', maxMissing: 2 })).error).toBe(
          'config.gate.maxMissing must be a share of the items, from 0 to 1',
        )
      })
    })

    it('does not pass what nobody has measured', async () => {
      const seeded = await seedRuns({ before: 30, after: 30 })
      const { gate } = Object((await gated(seeded, { metric: 'unheard of' })).results)
      expect(gate).toMatchObject({
        passed: false,
        summary: expect.stringMatching(/^Cannot decide: unheard of is not compared/),
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
