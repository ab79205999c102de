import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { metricOf, QUICK, type Row, rowsIn, seedComponent, seedItems, start, until } from './evaluating.ts'

const MIB = 1_048_576
/** A request may hold a megabyte; this item fills it. */
const TEXT = 'word '.repeat(100_000)

describeEachEngine(
  'large evaluations',
  (app) => {
    it('ten thousand cases are all scored, and at every moment of it the progress adds up', async () => {
      const seeded = await seedComponent(app())
      const { client } = seeded
      const items = Array.from({ length: 10_000 }, (_, place) => ({
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
      }, 100_000)
      expect(body.progress).toEqual({ total: 10_000, done: 9_000, failed: 0, skipped: 1_000 })
      const wrong = items.filter(({ output, expected }) => expected !== undefined && output === 'wrong').length
      expect(metricOf(body, 'exactMatch')).toMatchObject({ n: 9_000, missing: 1_000, mean: (9_000 - wrong) / 9_000 })
      const last = await client.list(`${path}/scores?limit=1&offset=9999`)
      expect(last).toMatchObject([{ state: 'skipped', error: 'the item has no expected value' }])
      expect(await client.list(`${path}/scores?limit=1&offset=10000`)).toEqual([])
    }, 120_000)

    it('items of a megabyte each are scored without holding all of them', async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const { datasetId } = await seedItems(seeded, [])
      const count = 150
      for (let place = 0; place < count; place += 1) {
        const output = `${place} ${TEXT}`
        const { status, text } = await client.post(`${below}/datasets/${datasetId}/items`, {
          input: `q${place}`,
          output,
          expected: place % 2 === 0 ? output : `${output}.`,
        })
        if (status !== 201) throw new Error(text)
      }
      globalThis.gc?.()
      const before = process.memoryUsage().heapUsed
      let most = 0
      const path = await start(seeded, { datasetId, config: { evaluators: [{ type: 'exactMatch' }] } })
      const body = await until(async () => {
        most = Math.max(most, process.memoryUsage().heapUsed - before)
        const read: Row = (await client.get(path)).body
        expect(read.status).toBe('completed')
        return read
      })
      expect(body.progress).toEqual({ total: count, done: count, failed: 0, skipped: 0 })
      expect(metricOf(body, 'exactMatch').mean).toBe(0.5)
      console.log(`held at most ${Math.round(most / MIB)} MiB`)
      // Ten items at a time, and what is not collected yet; all of them are 143 MiB.
      expect(most).toBeLessThan(100 * MIB)
      const reasons = rowsIn(
        (await client.list(`${path}/scores?state=scored&limit=100`)).map(({ reason }) => ({ reason })),
      )
      for (const { reason } of reasons) expect(String(reason).length).toBeLessThan(5_000)
    }, 120_000)
  },
  QUICK,
)
