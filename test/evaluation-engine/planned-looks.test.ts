import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { evaluated, QUICK, type Row, rowsIn, seedComponent, seedItems } from './evaluating.ts'

const ITEMS = 50
const EVALUATORS = [{ type: 'exactMatch', name: 'right' }]
const PLAN = { plannedLooks: 5 }

describeEachEngine(
  'a comparison whose looks are planned',
  (app) => {
    /** Two runs that grow together. Of every ten items, the candidate answers three more correctly. */
    async function seedGrowing() {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const items = Array.from({ length: ITEMS }, (_, place) => ({ input: `q${place}`, expected: 'right' }))
      const { datasetId, itemIds } = await seedItems(seeded, items)
      const runs = {
        before: await client.create(`${below}/runs`, { datasetId, name: 'before' }),
        after: await client.create(`${below}/runs`, { datasetId, name: 'after' }),
      }
      let size = 0
      /** Adds ten items to both runs and evaluates them. */
      const grow = async (config: Row = PLAN): Promise<Row> => {
        const isRight = (run: string, place: number) => run === 'after' || place % 10 >= 3
        const traces = Object.keys(runs).flatMap((run) =>
          itemIds.slice(size, size + 10).map((itemId, index) => {
            return { traceId: `${run}-${size + index}`, run, itemId, output: isRight(run, index) ? 'right' : 'wrong' }
          }),
        )
        size += 10
        expect((await client.post(`${below}/traces`, { traces })).status).toBe(201)
        await evaluated(seeded, { datasetId, runId: runs.before, config: { evaluators: EVALUATORS } })
        const comparing = { evaluators: EVALUATORS, baselineRunId: runs.before, ...config }
        return evaluated(seeded, { datasetId, runId: runs.after, config: comparing })
      }
      const compared = async (more = ''): Promise<Row> => {
        const path = `${below}/comparisons?baseline=${runs.before}&candidate=${runs.after}${more}`
        const { status, text, body } = await client.get(path)
        expect(status, text).toBe(200)
        return body
      }
      return { ...seeded, datasetId, itemIds, runs, grow, compared }
    }

    function rightOf(body: Row): Row {
      return Object(rowsIn(body.metrics).find(({ name }) => name === 'right'))
    }

    it('spends 5 % over five looks by O’Brien and Fleming’s rule, and reading a result again is no new look', async () => {
      const { grow, compared } = await seedGrowing()
      const read: Row[] = []
      for (let look = 1; look <= 5; look += 1) {
        const { results } = await grow()
        const body = await compared()
        // The evaluation was the look. Its comparison is the same.
        expect(body).toMatchObject({ looks: look, warnings: [], looking: Object(results).comparison.looking })
        expect(await compared()).toEqual(body)
        read.push(body)
      }
      // Two-sided levels of z = 4.877, 3.357, 2.680, 2.290 and 2.031.
      const levels = read.map(({ looking }) => Number(Object(looking).level).toPrecision(2))
      expect(levels).toEqual(['0.0000011', '0.00079', '0.0074', '0.022', '0.042'])
      // A single look would have found 6 of 6 items that differ, p = 0.016.
      const unclear = 'noClearDifference'
      expect(read.map(({ verdict }) => verdict)).toEqual([unclear, unclear, 'improved', 'improved', 'improved'])
      expect(read.map((body) => rightOf(body).correction)).toContain('corrected for look 2 of 5')
      for (const body of read) {
        const { level } = Object(body.looking)
        const { confidence, ci, test, verdict } = rightOf(body)
        expect(confidence).toBeCloseTo(1 - level, 12)
        expect([Object(ci)[0] > 0, Object(test).pAdjusted < level]).toEqual(Array(2).fill(verdict === 'improved'))
      }
      expect(read[2]?.looking).toMatchObject({
        rule: 'planned',
        look: 3,
        plannedLooks: 5,
        items: 30,
        plannedItems: ITEMS,
        summary: 'Look 3 of 5 planned, at 30 of 50 items: a difference counts if p is below 0.0074.',
      })
      expect(read[1]?.summary).toContain('which does not hold when corrected for look 2 of 5')
    })

    it('keeps the plan of the first look, and names results that it does not cover', async () => {
      const { grow, compared, client, below, datasetId, itemIds } = await seedGrowing()
      await grow()
      await grow({ plannedLooks: 2, plannedItems: 20 })
      const changed = await compared()
      expect(changed.looking).toMatchObject({ look: 2, plannedLooks: 5, plannedItems: ITEMS })
      expect(changed.warnings).toEqual([
        'The plan of 2 looks at 20 items was made after the first look and has no effect: that of the first look stays, 5 looks at 50 items.',
      ])
      await client.send('PATCH', `${below}/datasets/${datasetId}/items/${itemIds[0]}`, {
        body: { split: 'validation' },
      })
      const other = await compared('&split=validation')
      expect(other.warnings).toContainEqual(expect.stringMatching(/^This result is not covered by the plan/))
      const { level } = Object(changed.looking)
      expect(other.looking).toMatchObject({
        level,
        summary: expect.stringMatching(/^After look 2 of 5 planned, at 1 of/),
      })
      // Evidence for any number of looks needs no plan.
      const sequential = await compared('&sequential=true')
      expect(sequential).toMatchObject({ warnings: [], looking: { rule: 'sequential', level: 0.05, look: null } })
    })

    it('has no effect after a first look without a plan', async () => {
      const { grow, compared } = await seedGrowing()
      await grow({})
      expect(await compared()).toMatchObject({ warnings: [], looking: { rule: 'single', level: 0.05 } })
      await grow()
      const { looking, warnings } = await compared()
      expect(looking).toMatchObject({ rule: 'single', level: 0.05, look: null })
      expect(warnings).toEqual([
        'The plan of 5 looks was made after the first look and has no effect: there was none then.',
        expect.stringMatching(/^These runs were compared 2 times/),
      ])
    })

    it('decides its gate at the level of the look', async () => {
      const { grow, compared } = await seedGrowing()
      const gate = { metric: 'right', margin: 0.01 }
      const config = { plannedLooks: 3, plannedItems: 90, gate }
      for (let look = 1; look <= 2; look += 1) await grow(config)
      const { results } = await grow(config)
      const { summary, passed } = Object(results).gate
      const { marginCi } = rightOf(await compared())
      // The 95 % interval, which a single look would have, is 0.155 to 0.474.
      expect(passed).toBe(Object(marginCi)[0] > -gate.margin)
      expect(passed).toBe(false)
      expect(summary).toContain('Look 3 of 3 planned, at 30 of 90 items: a difference counts if p is below')
      expect(summary).not.toContain('different results')
    })

    it('rejects plans that are none, with the reason in the evaluation', async () => {
      const seeded = await seedGrowing()
      const { datasetId, runs } = seeded
      const errorOf = async (config: Row) => {
        const body = { datasetId, runId: runs.after, config: { evaluators: EVALUATORS, ...config } }
        return (await evaluated(seeded, body)).error
      }
      expect(await errorOf({ plannedLooks: 1 })).toContain('config.plannedLooks must be a whole number from 2 to 20')
      expect(await errorOf({ plannedItems: 10 })).toContain('config.plannedItems needs config.plannedLooks')
      const gate = { metric: 'right', sequential: true }
      expect(await errorOf({ plannedLooks: 5, baselineRunId: runs.before, gate })).toContain('set one')
    })
  },
  QUICK,
)
