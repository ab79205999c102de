import { expect, it } from 'vitest'
import { intervalOf, pValue } from '../../src/statistics/paired/p-function.ts'
import { pairedRates } from '../../src/statistics/paired/paired-rates.ts'
import { newRaters } from '../annotations/rated-run.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { rowsOfWorkspaces } from '../isolation/workspace-rows.ts'
import { passesOf, type Seeded, seedComparison } from './seed-comparison.ts'

describeEachEngine('preferences between two runs', (app) => {
  const seed = (items = 8) =>
    seedComparison(app(), { items, baseline: passesOf(items, () => ({})), candidate: passesOf(items, () => ({})) })

  type Side = 'baseline' | 'candidate'
  type Given = { item: number; better: Side | 'same'; shownLeft?: Side | undefined; repetition?: number }

  async function prefer(by: Client, seeded: Seeded, { item, better, repetition, ...given }: Given) {
    const shownLeft = 'shownLeft' in given ? given.shownLeft : 'baseline'
    const body = {
      baseline: seeded.baseline.runId,
      candidate: seeded.candidate.runId,
      itemId: seeded.itemIds[item],
      better,
      ...(shownLeft && { shownLeft }),
      ...(repetition && { repetition }),
    }
    return by.send('PUT', `${seeded.component}/comparisons/preferences`, { body })
  }

  function pathOf({ component, baseline, candidate }: Seeded, order: 'as given' | 'swapped' = 'as given') {
    const [one, other] = order === 'swapped' ? [candidate, baseline] : [baseline, candidate]
    return `${component}/comparisons/preferences?baseline=${one.runId}&candidate=${other.runId}`
  }

  async function twoRaters({ workspaceId }: Seeded): Promise<[Client, Client]> {
    const [one, other] = await newRaters(app(), { workspaceId, count: 2 })
    if (!one || !other) throw new Error('there are two')
    return [one.client, other.client]
  }

  it('are counted by item, with the share of the candidate', async () => {
    const seeded = await seed()
    const [one] = await twoRaters(seeded)
    for (let item = 0; item < 5; item += 1)
      await prefer(one, seeded, { item, better: 'candidate', shownLeft: item % 2 ? 'candidate' : 'baseline' })
    await prefer(one, seeded, { item: 5, better: 'baseline' })
    const saved = await prefer(one, seeded, { item: 6, better: 'same', shownLeft: 'candidate' })
    expect(saved).toMatchObject({
      status: 200,
      body: { itemId: seeded.itemIds[6], better: 'same', shownLeft: 'candidate', repetition: 1 },
    })
    const { body } = await seeded.client.get(pathOf(seeded))
    expect(body.result).toMatchObject({
      items: 7,
      candidate: 5,
      baseline: 1,
      same: 1,
      preferences: 7,
      raters: 1,
      left: { chosen: 3, n: 6 },
      verdict: 'tooFewCases',
      summary:
        'Too few items to decide: the candidate in 5 of 7 items, 1 without a preference, and at least 10 items are needed.',
    })
  })

  it('have a verdict that agrees with the interval around one half', async () => {
    const seeded = await seed(16)
    const [one] = await twoRaters(seeded)
    for (let item = 0; item < 16; item += 1) {
      const better = item < 14 ? 'candidate' : 'baseline'
      await prefer(one, seeded, { item, better, shownLeft: item % 2 ? 'candidate' : 'baseline' })
    }
    const result = Object((await seeded.client.get(pathOf(seeded))).body.result)
    expect(result).toMatchObject({ verdict: 'improved', share: expect.closeTo(14 / 16, 10) })
    expect(result.ci[0]).toBeGreaterThan(0.5)
    expect(result.p).toBeLessThan(0.05)
    expect(result.summary).toMatch(
      /^The candidate is preferred: the candidate in 14 of 16 items \(share 0\.88, 95 % CI/,
    )
  })

  it('have no verdict if the candidate was always on the left, nor if the left answer was always chosen', async () => {
    const [always, mostly] = [await seed(20), await seed(20)]
    for (let item = 0; item < 20; item += 1) {
      await prefer(always.client, always, { item, better: 'candidate', shownLeft: 'candidate' })
      const side = item % 5 === 0 ? 'baseline' : 'candidate'
      await prefer(mostly.client, mostly, { item, better: side, shownLeft: side })
    }
    const confounded = Object((await always.client.get(pathOf(always))).body.result)
    expect(confounded).toMatchObject({
      verdict: null,
      ci: null,
      summary: expect.stringMatching(/^No verdict: one run/),
    })
    const byPosition = Object((await mostly.client.get(pathOf(mostly))).body.result)
    expect(byPosition).toMatchObject({ candidate: 16, verdict: 'noClearDifference', share: expect.closeTo(0.5, 10) })
  })

  /** By item: the run that the server shows left. */
  async function sidesOf(by: Client, { component, baseline, candidate }: Seeded): Promise<Map<string, string>> {
    const pair = `baseline=${baseline.runId}&candidate=${candidate.runId}`
    const rows = await by.list(`${component}/comparisons?${pair}&include=texts&limit=100`)
    return new Map(rows.map((row) => [String(row.itemId), String(Object(row.texts).shownLeft)]))
  }

  it('are shown on sides that the server draws for each user: balanced, the same on each read, mirrored if swapped', async () => {
    const seeded = await seed(9)
    const [one] = await twoRaters(seeded)
    const sides = await sidesOf(one, seeded)
    const leftOf = (side: string) => [...sides.values()].filter((left) => left === side).length
    expect([leftOf('baseline'), leftOf('candidate')].sort()).toEqual([4, 5])
    expect(await sidesOf(one, seeded)).toEqual(sides)
    const swapped = await sidesOf(one, { ...seeded, baseline: seeded.candidate, candidate: seeded.baseline })
    for (const [itemId, left] of sides) expect(swapped.get(itemId)).toBe(left === 'baseline' ? 'candidate' : 'baseline')
  })

  it('are stored with the side that the server draws, and another side is marked', async () => {
    const seeded = await seed()
    const drawn = (await sidesOf(seeded.client, seeded)).get(seeded.itemIds[0] ?? '')
    const others: Record<string, Side> = { baseline: 'candidate', candidate: 'baseline' }
    const omitted = await prefer(seeded.client, seeded, { item: 0, better: 'same', shownLeft: undefined })
    expect(omitted.body).toMatchObject({ shownLeft: drawn, isSideDrawn: true })
    const chosen = await prefer(seeded.client, seeded, { item: 0, better: 'same', shownLeft: others[drawn ?? ''] })
    expect(chosen.body).toMatchObject({ shownLeft: others[drawn ?? ''], isSideDrawn: false })
    expect((await seeded.client.get(pathOf(seeded))).body.result).toMatchObject({ sides: { drawn: 0, n: 1 } })
  })

  it('on drawn sides have the numbers of paired yes/no values, without a correction for the position', async () => {
    const seeded = await seed(20)
    for (let item = 0; item < 20; item += 1) {
      const better = item < 12 ? 'candidate' : item < 14 ? 'baseline' : 'same'
      await prefer(seeded.client, seeded, { item, better, shownLeft: undefined })
    }
    const result = Object((await seeded.client.get(pathOf(seeded))).body.result)
    const expected = pairedRates({ gained: 12, lost: 2, items: 20 })
    expect(result).toMatchObject({
      sides: { drawn: 20, n: 20, baselineLeft: 10, candidateLeft: 10 },
      share: expect.closeTo(0.75, 12),
      p: pValue(expected),
      ci: intervalOf(expected).map((end) => expect.closeTo((1 + end) / 2, 12)),
      verdict: 'improved',
      method: expect.stringContaining('mid-p McNemar'),
    })
  })

  it('are one per user and pair of answers: saving again replaces it', async () => {
    const seeded = await seed()
    const [one, other] = await twoRaters(seeded)
    await prefer(one, seeded, { item: 0, better: 'baseline' })
    await prefer(one, seeded, { item: 0, better: 'candidate', shownLeft: 'candidate' })
    await prefer(other, seeded, { item: 0, better: 'baseline' })
    const { body } = await seeded.client.get(pathOf(seeded))
    expect(body.data).toHaveLength(2)
    // Two people who disagree decide nothing, and are one item.
    expect(body.result).toMatchObject({ items: 1, same: 1, share: 0.5, preferences: 2, raters: 2 })
    expect((await one.get(`${pathOf(seeded)}&mine=true`)).body.data).toMatchObject([
      { better: 'candidate', shownLeft: 'candidate' },
    ])
  })

  it('are mirrored if the runs are swapped', async () => {
    const seeded = await seed()
    const [one] = await twoRaters(seeded)
    for (const item of [0, 1, 2]) await prefer(one, seeded, { item, better: 'candidate' })
    await prefer(one, seeded, { item: 3, better: 'baseline', shownLeft: 'candidate' })
    const { body } = await seeded.client.get(pathOf(seeded, 'swapped'))
    expect(body.result).toMatchObject({ candidate: 1, baseline: 3, left: { chosen: 0, n: 4 } })
    expect(body.data).toContainEqual(
      expect.objectContaining({ itemId: seeded.itemIds[3], better: 'candidate', shownLeft: 'baseline' }),
    )
  })

  it('join page by page to all, each once', async () => {
    const seeded = await seed()
    const raters = await twoRaters(seeded)
    for (const rater of raters)
      for (const item of [0, 1, 2]) await prefer(rater, seeded, { item, better: 'same', repetition: 1 + (item % 2) })
    const whole = await seeded.client.list(pathOf(seeded))
    const joined: unknown[] = []
    for (let offset = 0; offset < 8; offset += 4)
      joined.push(...(await seeded.client.list(`${pathOf(seeded)}&limit=4&offset=${offset}`)))
    expect(joined).toEqual(whole)
    expect(whole).toHaveLength(6)
  })

  it('are of items and runs that exist, and are compared', async () => {
    const seeded = await seed()
    const other = await seed()
    const [one] = await twoRaters(seeded)
    const foreign = { ...seeded, itemIds: other.itemIds }
    expect((await prefer(one, foreign, { item: 0, better: 'same' })).status).toBe(404)
    expect((await prefer(one, { ...seeded, candidate: other.candidate }, { item: 0, better: 'same' })).status).toBe(404)
    expect((await prefer(one, { ...seeded, candidate: seeded.baseline }, { item: 0, better: 'same' })).status).toBe(400)
    expect((await one.get(pathOf({ ...seeded, candidate: other.candidate }))).status).toBe(404)
  })

  it('are withheld from raters of a blind run, except their own', async () => {
    const seeded = await seed()
    const [one, other] = await twoRaters(seeded)
    await prefer(one, seeded, { item: 0, better: 'candidate' })
    await prefer(other, seeded, { item: 0, better: 'candidate' })
    const policy = `${seeded.component}/runs/${seeded.candidate.runId}/annotation-policy`
    await seeded.client.send('PUT', policy, { body: { blind: true } })
    const { body } = await one.get(pathOf(seeded))
    expect(body).toMatchObject({ result: null, withheld: expect.stringContaining('blindly') })
    expect(body.data).toHaveLength(1)
  })

  it('are deleted with either of their runs', async () => {
    const seeded = await seed()
    const { client, component, workspaceId } = seeded
    const [one] = await twoRaters(seeded)
    const stored = async () => (await rowsOfWorkspaces(app().storage, workspaceId)).comparison_preferences
    for (const side of ['candidate', 'baseline'] as const) {
      const pair = await seedComparison(app(), {
        items: 1,
        baseline: passesOf(1, () => ({})),
        candidate: passesOf(1, () => ({})),
      })
      await prefer(pair.client, pair, { item: 0, better: 'same' })
      const left = async () => (await rowsOfWorkspaces(app().storage, pair.workspaceId)).comparison_preferences
      expect(await left()).toHaveLength(1)
      expect((await pair.client.delete(`${pair.component}/runs/${pair[side].runId}`)).status).toBe(204)
      await until(async () => expect(await left()).toEqual([]))
    }
    await prefer(one, seeded, { item: 0, better: 'same' })
    expect((await client.delete(component)).status).toBe(204)
    await until(async () => expect(await stored()).toEqual([]))
  })
})
