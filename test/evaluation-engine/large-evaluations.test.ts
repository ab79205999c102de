// @module-tag deep
import { expect, it } from 'vitest'
import { listCases } from '../../src/evaluations/runner/case-queries.ts'
import { loadCases } from '../../src/evaluations/runner/load-cases.ts'
import type { Need } from '../../src/evaluators/evaluator.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { metricOf, QUICK, seedComponent, seedItems, start, until } from './evaluating.ts'

describeEachEngine(
  'large evaluations',
  (app) => {
    it('three thousand cases are all scored, and at every moment of it the progress adds up', async () => {
      const seeded = await seedComponent(app())
      const { client } = seeded
      const items = Array.from({ length: 3_000 }, (_, place) => ({
        input: `q${place}`,
        output: place % 4 === 0 ? 'wrong' : 'right',
        ...(place % 10 === 9 ? {} : { expected: 'right' }),
      }))
      const { datasetId } = await seedItems(seeded, items)
      const path = await start(seeded, { datasetId, config: { evaluators: [{ type: 'exactMatch' }] } })
      let before = { total: 0, done: 0, failed: 0, skipped: 0 }
      const body = await until(async () => {
        const read = (await client.get(path)).body
        const { total, done, failed, skipped } = Object(read.progress)
        expect(total).toBeGreaterThanOrEqual(before.total)
        expect(done).toBeGreaterThanOrEqual(before.done)
        expect(done + failed + skipped).toBeLessThanOrEqual(total)
        before = { total, done, failed, skipped }
        expect(read.status).toBe('completed')
        return read
      })
      expect(body.progress).toEqual({ total: 3_000, done: 2_700, failed: 0, skipped: 300 })
      const wrong = items.filter(({ output, expected }) => expected !== undefined && output === 'wrong').length
      expect(metricOf(body, 'exactMatch')).toMatchObject({ n: 2_700, missing: 300, mean: (2_700 - wrong) / 2_700 })
      const last = await client.list(`${path}/scores?limit=1&offset=2999`)
      expect(last).toMatchObject([{ state: 'skipped', error: 'the item has no expected value' }])
      expect(await client.list(`${path}/scores?limit=1&offset=3000`)).toEqual([])
    })

    it('schemas and long texts are scored as they are in small evaluations', async () => {
      const seeded = await seedComponent(app())
      const { client } = seeded
      const items = Array.from({ length: 600 }, (_, place) => ({
        input: `q${place}`,
        output: JSON.stringify({ a: place % 3 === 0 ? 'text' : place, long: 'x'.repeat(place === 5 ? 80_000 : 1) }),
        expected: '{}',
      }))
      const { datasetId } = await seedItems(seeded, items)
      const evaluators = [
        { type: 'jsonSchema', schema: { properties: { a: { type: 'integer' } } } },
        { type: 'exactMatch' },
      ]
      const path = await start(seeded, { datasetId, config: { evaluators } })
      const body = await until(async () => {
        const read = (await client.get(path)).body
        expect(read.status).toBe('completed')
        return read
      })
      expect(body.progress).toEqual({ total: 1_200, done: 1_200, failed: 0, skipped: 0 })
      expect(metricOf(body, 'jsonSchema')).toMatchObject({ n: 600, mean: 400 / 600 })
      expect(metricOf(body, 'exactMatch')).toMatchObject({ n: 600, mean: 0 })
    }, 120_000)

    it('items without traces, which may be of any size, are held a few at a time', async () => {
      const seeded = await seedComponent(app())
      const { workspaceId } = seeded
      const items = Array.from({ length: 35 }, (_, place) => ({ input: `q${place}`, output: `a${place}` }))
      const { datasetId } = await seedItems(seeded, items)
      const source = { workspaceId, datasetId, runId: null }
      const q = app().storage.read
      const keys = await listCases(q, source, { after: '', limit: 100 })
      const sizes: number[] = []
      const seen = new Set<string>()
      const loading = { source, needs: new Set<Need>(['output']), baselineRefs: new Map() }
      for await (const cases of loadCases(q, loading, keys)) {
        sizes.push(cases.size)
        for (const { output } of cases.values()) seen.add(String(output))
      }
      expect(Math.max(...sizes)).toBeLessThanOrEqual(10)
      expect([...seen].sort()).toEqual(items.map(({ output }) => output).sort())
    })
  },
  QUICK,
)
