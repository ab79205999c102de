import { describe, expect, it } from 'vitest'
import { timestamp } from '../../src/base/clock.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { rowsOfWorkspaces } from '../isolation/workspace-rows.ts'
import { compared, metricNamed, seedRegression } from './read-comparison.ts'
import { passesOf, type Seeded, seedComparison } from './seed-comparison.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

describeEachEngine('a comparison that is read repeatedly', (app) => {
  const seedSame = () =>
    seedComparison(app(), {
      items: 14,
      baseline: passesOf(12, () => ({})),
      candidate: passesOf(12, () => ({})),
    })

  async function addItem({ client, component, itemIds }: Seeded, place: number): Promise<void> {
    const traces = ['A', 'B'].map((run) => ({
      traceId: `late-${run}-${place}-${itemIds[0]}`,
      run,
      itemId: itemIds[place],
    }))
    expect((await client.post(`${component}/traces`, { traces })).status).toBe(201)
  }

  it('counts a look when its data changed since the last one, and warns from the second on', async () => {
    const seeded = await seedSame()
    expect(await compared(seeded)).toMatchObject({ looks: 1, warnings: [] })
    expect(await compared(seeded)).toMatchObject({ looks: 1, warnings: [] })
    await addItem(seeded, 12)
    const warning = expect.stringMatching(/^These runs were compared 2 times with different results/)
    expect(await compared(seeded)).toMatchObject({ looks: 2, warnings: [warning] })
    expect(await compared(seeded)).toMatchObject({ looks: 2, warnings: [warning] })
    // Looks that are planned for cost nothing.
    expect(await compared(seeded, 'sequential=true')).toMatchObject({ looks: 2, warnings: [] })
  })

  it('counts what another split, other groups and new ratings show, once each', async () => {
    const seeded = await seedSame()
    const { client, component, datasetId, itemIds, candidate } = seeded
    const looks = async (parameters = '') => (await compared(seeded, parameters)).looks
    expect(await looks()).toBe(1)
    const items = `${component}/datasets/${datasetId}/items`
    for (const id of itemIds.slice(0, 6))
      await client.send('PATCH', `${items}/${id}`, { body: { split: 'validation' } })
    expect([await looks('split=validation'), await looks(), await looks('split=validation')]).toEqual([2, 2, 2])
    const groupBy = { body: { groupBy: 'metadata.document' } }
    await client.send('PATCH', `${component}/datasets/${datasetId}/settings`, groupBy)
    expect(await looks()).toBe(3)
    const rating = { traceDbId: candidate.traceIds[0], rating: 'positive' }
    await client.create(`${component}/runs/${candidate.runId}/annotations`, rating)
    expect([await looks(), await looks()]).toEqual([4, 4])
    // Another group of an item is another selection, too.
    for (const [place, id] of itemIds.entries())
      await client.send('PATCH', `${items}/${id}`, { body: { metadata: { document: place % 7 } } })
    expect([await looks(), await looks()]).toEqual([5, 5])
  })

  it('counts ratings that are rewritten, also if their mean stays the same', async () => {
    const seeded = await seedSame()
    const { client, component, baseline, candidate } = seeded
    const rate = async (run: typeof candidate, ...ratings: string[]) => {
      for (const [place, rating] of ratings.entries())
        await client.create(`${component}/runs/${run.runId}/annotations`, { traceDbId: run.traceIds[place], rating })
      return (await compared(seeded)).looks
    }
    await rate(baseline, 'positive', 'negative', 'negative')
    const before = Number(await rate(candidate, 'positive', 'negative', 'negative'))
    expect(await rate(candidate, 'negative', 'positive', 'negative')).toBe(before + 1)
    expect(await rate(candidate, 'negative', 'positive', 'negative')).toBe(before + 1)
  })

  it('counts many requests at once as one look', async () => {
    const seeded = await seedSame()
    const bodies = await Promise.all(Array.from({ length: 6 }, () => compared(seeded)))
    expect(bodies.map(({ looks }) => looks)).toEqual([1, 1, 1, 1, 1, 1])
    expect(await compared(seeded)).toMatchObject({ looks: 1 })
  })

  it('can be read by a key whose maker may only read', async () => {
    const { at, workspaceId } = await seedSame()
    const viewer = app().asPerson(await app().newPerson([{ workspaceId, role: 'viewer' }]), workspaceId)
    expect((await viewer.get(at())).body).toMatchObject({ looks: 1 })
  })

  it('warns from the third run on that was compared with one baseline in the last 30 days', async () => {
    const seeded = await seedSame()
    const { client, component, datasetId, baseline, workspaceId } = seeded
    const warningsOf = async (candidate: string) => {
      const { body } = await client.get(`${component}/comparisons?baseline=${baseline.runId}&candidate=${candidate}`)
      return body.warnings
    }
    await compared(seeded)
    expect(await warningsOf(await client.create(`${component}/runs`, { datasetId, name: 'C' }))).toEqual([])
    const third = await client.create(`${component}/runs`, { datasetId, name: 'D' })
    const warning = expect.stringMatching(/^3 runs were compared with this baseline in the last 30 days/)
    expect(await warningsOf(third)).toEqual([warning])
    const longAgo = timestamp(app().clock.now() - 31 * DAY_MS)
    await app().storage.transaction((tx) =>
      tx.updateTable('comparison_looks').set({ looked_at: longAgo }).where('workspace_id', '=', workspaceId).execute(),
    )
    expect(await warningsOf(third)).toEqual([])
  })

  it('is forgotten with either of its runs', async () => {
    const seeded = await seedSame()
    const { client, component, workspaceId, candidate } = seeded
    await compared(seeded)
    const looks = async () => (await rowsOfWorkspaces(app().storage, workspaceId)).comparison_looks
    expect(await looks()).toHaveLength(1)
    expect((await client.delete(`${component}/runs/${candidate.runId}`)).status).toBe(204)
    await until(async () => expect(await looks()).toEqual([]))
  })

  describe('with sequential=true', () => {
    it('has an always-valid interval and an e-value in place of those for a single look', async () => {
      const body = await compared(await seedRegression(app()), 'sequential=true')
      const right = metricNamed(body, 'right')
      expect(right).toMatchObject({
        test: { method: expect.stringContaining('e-value by betting') },
        method: expect.stringContaining('always-valid'),
        verdict: 'noClearDifference',
      })
      // Far fewer items are enough for a single look.
      expect(metricNamed(await compared(await seedRegression(app())), 'right').verdict).toBe('regressed')
      expect(Object(right.test).p).toBeCloseTo(1 / Object(right.test).statistic, 10)
      const [low, high] = Object(right.ci)
      expect(low).toBeLessThan(-0.2)
      expect(high).toBeGreaterThan(0)
      expect(metricNamed(body, 'durationMs')).toMatchObject({ ratioCi: null, verdict: 'improved' })
    })

    it('compares costs by directions also where items are free, whose totals hold for a single look only', async () => {
      const seeded = await seedComparison(app(), {
        items: 20,
        baseline: passesOf(20, () => ({ costUsd: 0.02 })),
        candidate: passesOf(20, (place) => ({ costUsd: place < 4 ? 0 : 0.01 })),
      })
      const costs = metricNamed(await compared(seeded, 'sequential=true'), 'costUsd')
      expect(costs).toMatchObject({ ratioCi: null, verdict: 'improved', wins: 20, ratio: expect.closeTo(0.4, 9) })
      expect(Object(costs.test).method).toContain('e-value by betting')
    })

    it('has no interval of scores without a scale, of which one later item could change the mean by any amount', async () => {
      const gain = (place: number) => (place === 0 ? -5_000 : 1)
      const seeded = await seedComparison(app(), {
        items: 40,
        baseline: passesOf(40, (place) => ({ scores: { words: 10_000 + place } })),
        candidate: passesOf(40, (place) => ({ scores: { words: 10_000 + place + gain(place) } })),
        metrics: [{ name: 'words', kind: 'numeric', scale: null, higherIsBetter: true }],
      })
      const words = metricNamed(await compared(seeded, 'sequential=true&margin=100'), 'words')
      expect(words).toMatchObject({ ci: null, marginCi: null, notWorseThanMargin: false, verdict: 'noClearDifference' })
      expect(words.summary).toMatch(/40 items, no interval/)
    })

    it('rejects values other than true and false', async () => {
      const { client, at } = await seedSame()
      expect((await client.get(at('sequential=yes'))).status).toBe(400)
    })
  })
})
