import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { compared, metricNamed } from './read-comparison.ts'
import { type Outcome, passesOf, type Seeded, seedComparison } from './seed-comparison.ts'

const METRICS = [
  { name: 'right', kind: 'binary', scale: [0, 1], higherIsBetter: true },
  { name: 'score', kind: 'numeric', scale: [0, 1], higherIsBetter: true },
]

describeEachEngine('a comparison of grouped items', (app) => {
  /** Items belong to documents of so many items each; the candidate solves those that `solves` names. */
  async function seed({
    items,
    perDocument,
    solves,
  }: {
    items: number
    perDocument: number
    solves: (place: number) => boolean
  }) {
    const outcome = (right: boolean): Outcome => ({ scores: { right: right ? 1 : 0, score: right ? 0.75 : 0.25 } })
    const seeded = await seedComparison(app(), {
      items,
      baseline: passesOf(items, (place) => outcome(place % 2 === 0)),
      candidate: passesOf(items, (place) => outcome(place % 2 === 0 || solves(place))),
      metrics: METRICS,
    })
    const dataset = `${seeded.component}/datasets/${seeded.datasetId}`
    for (const [place, itemId] of seeded.itemIds.entries())
      await seeded.client.patch(`${dataset}/items/${itemId}`, {
        metadata: { document: Math.floor(place / perDocument) },
      })
    return { ...seeded, dataset }
  }

  async function group(
    { client, dataset }: Seeded & { dataset: string },
    groupBy: string | null = 'metadata.document',
  ) {
    await client.patch(`${dataset}/settings`, { groupBy })
  }

  it('is as before without a field that names groups', async () => {
    const seeded = await seed({ items: 40, perDocument: 10, solves: (place) => place < 20 })
    const before = await compared(seeded)
    expect(before).toMatchObject({ groupBy: null, split: null, testSet: null })
    expect(metricNamed(before, 'right')).toMatchObject({ groups: null, designEffect: null, verdict: 'improved' })
    await group(seeded)
    await group(seeded, null)
    expect(await compared(seeded)).toEqual(before)
  })

  it('does not call a gain in two of eight documents an improvement', async () => {
    const seeded = await seed({ items: 80, perDocument: 10, solves: (place) => place < 20 })
    expect(metricNamed(await compared(seeded), 'right').verdict).toBe('improved')
    await group(seeded)
    const body = await compared(seeded)
    expect(body.groupBy).toBe('metadata.document')
    for (const name of ['right', 'score']) {
      const metric = metricNamed(body, name)
      expect(metric).toMatchObject({
        items: 80,
        groups: 8,
        verdict: 'noClearDifference',
        test: { method: expect.stringContaining('cluster-robust t test') },
      })
      expect(metric.designEffect).toBeGreaterThan(3)
      expect(metric.summary).toMatch(/80 items in 8 groups/)
    }
  })

  it('calls a gain in all documents an improvement', async () => {
    const seeded = await seed({ items: 80, perDocument: 10, solves: (place) => place % 10 === 1 || place % 20 === 3 })
    await group(seeded)
    const metric = metricNamed(await compared(seeded), 'right')
    expect(metric).toMatchObject({ groups: 8, verdict: 'improved', difference: 0.15 })
    expect(metric.designEffect).toBeLessThan(1)
  })

  it('has an interval of grouped scores near the end of their scale that does not end there', async () => {
    const nearTop = passesOf(48, (place) => ({ scores: { score: place < 8 ? 0.75 : 1 } }))
    const seeded = await seedComparison(app(), { items: 48, baseline: nearTop, candidate: nearTop, metrics: METRICS })
    const dataset = `${seeded.component}/datasets/${seeded.datasetId}`
    for (const [place, itemId] of seeded.itemIds.entries())
      await seeded.client.patch(`${dataset}/items/${itemId}`, { metadata: { document: Math.floor(place / 4) } })
    await group({ ...seeded, dataset })
    const { mean, ci, method } = Object(metricNamed(await compared(seeded), 'score').candidate)
    expect(mean).toBeCloseTo(0.958, 3)
    // 12 documents, of which two have 0.75 and the others 1: 400,000 draws have 0.777 and 0.989.
    expect(ci).toEqual([expect.closeTo(0.776, 2), expect.closeTo(0.989, 2)])
    expect(ci[1]).toBeLessThan(0.995)
    expect(method).toMatch(/half a group at each end of the scale/)
  })

  it('has too few cases with fewer than six groups, for any number of items', async () => {
    const seeded = await seed({ items: 60, perDocument: 12, solves: () => true })
    await group(seeded)
    const body = await compared(seeded)
    expect(body.verdict).toBe('tooFewCases')
    expect(metricNamed(body, 'right').summary).toBe(
      'Too few cases to compare B with A on right: 60 items in 5 groups, and at least 6 groups are needed.',
    )
  })

  it('shows that a margin is met only with thirty groups', async () => {
    const few = await seed({ items: 40, perDocument: 2, solves: () => true })
    await group(few)
    const metric = metricNamed(await compared(few, 'margin=0.1'), 'right')
    expect(metric).toMatchObject({ groups: 20, verdict: 'improved', notWorseThanMargin: false })
    expect(metric.summary).toMatch(/At least 30 groups are needed to compare right with the margin of 0.1/)
    const enough = await seed({ items: 60, perDocument: 2, solves: () => true })
    await group(enough)
    const kept = metricNamed(await compared(enough, 'margin=0.1'), 'right')
    expect(kept).toMatchObject({ groups: 30, notWorseThanMargin: true })
  })

  it('mirrors the numbers if the two runs are swapped', async () => {
    const seeded = await seed({ items: 60, perDocument: 4, solves: (place) => place % 3 === 0 })
    await group(seeded)
    const { baseline, candidate, component, client } = seeded
    const there = metricNamed(await compared(seeded), 'score')
    const path = `${component}/comparisons?baseline=${candidate.runId}&candidate=${baseline.runId}`
    const back = metricNamed((await client.get(path)).body, 'score')
    const [low = NaN, high = NaN]: number[] = Array.isArray(there.ci) ? there.ci : []
    expect(back).toMatchObject({ ci: [-high, -low], difference: -Number(there.difference), groups: there.groups })
    expect(back.designEffect).toBe(there.designEffect)
  })

  it('requires more items if those of a group agree', async () => {
    const seeded = await seed({ items: 80, perDocument: 4, solves: (place) => place % 16 < 8 })
    const alone = metricNamed(await compared(seeded), 'right')
    await group(seeded)
    const grouped = metricNamed(await compared(seeded), 'right')
    expect(Object(grouped.power).detectableDifference).toBeGreaterThan(Object(alone.power).detectableDifference)
  })
})
