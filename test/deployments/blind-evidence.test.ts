import { expect, it } from 'vitest'
import { newRaters } from '../annotations/rated-run.ts'
import { passesOf, seedComparison } from '../comparisons/seed-comparison.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { gatePrompt } from './gate-by-ratings.ts'

const ITEMS = 60

describeEachEngine('a gate by ratings', (app) => {
  it('passes by them, and shows neither numbers nor verdict to someone who rates the runs blindly', async () => {
    const passes = passesOf(ITEMS, () => ({}))
    const seeded = await seedComparison(app(), { items: ITEMS, baseline: passes, candidate: passes })
    const { client, component, workspaceId, baseline, candidate } = seeded
    const [rater, blind] = await newRaters(app(), { workspaceId, count: 2, role: 'editor' })
    if (!rater || !blind) throw new Error('there are two')
    for (const { runId, traceIds } of [baseline, candidate])
      for (const traceDbId of traceIds)
        await rater.client.create(`${component}/runs/${runId}/annotations`, { traceDbId, rating: 'positive' })
    const admin = await browserWith(app(), workspaceId, 'admin')
    const prompt = await gatePrompt(app(), seeded, admin)
    await client.send('PUT', `${component}/runs/${candidate.runId}/annotation-policy`, { body: { blind: true } })
    const move = { splits: [{ version: 2, weight: 100 }] }
    const label = `${prompt}/labels/production`
    const denied = await blind.client.send('PUT', label, { body: move })
    expect(denied.status).toBe(409)
    expect(denied.body.error).toMatch(
      /It is decided by ratings, which are not shown to you, because you rate one of the runs blindly\. Someone who does not rate the runs moves the label\.$/,
    )
    const hidden = (await blind.client.get(`${label}/check?version=2`)).body
    expect(hidden).toMatchObject({ allowed: false, verdict: null, metrics: [], warnings: [] })
    expect((await admin.get(`${label}/check?version=2`)).body).toMatchObject({
      allowed: true,
      verdict: { isFromRatings: true, verdict: 'equivalent' },
    })
    const moved = await admin.send('PUT', label, { body: move })
    expect(moved.status, moved.text).toBe(200)
    const evidenceFor = async (path: string, reader: typeof client) =>
      Object([(await reader.get(path)).body.data].flat()[0]).evidence
    for (const path of [`${label}/history`, `${prompt}/live`, `${component}/prompt-changes`]) {
      expect(await evidenceFor(path, admin)).toMatchObject([{ verdict: 'equivalent', difference: 0, items: ITEMS }])
      const [one] = await evidenceFor(path, blind.client)
      expect(one).toMatchObject({
        passed: true,
        verdict: null,
        summary: null,
        difference: null,
        ci: null,
        marginCi: null,
        wins: null,
      })
      expect(one).toMatchObject({ baseline: { mean: null, ci: null }, candidate: { mean: null, ci: null } })
    }
  })
})
