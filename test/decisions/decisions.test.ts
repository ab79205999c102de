import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compared, rowsOf } from '../comparisons/read-comparison.ts'
import { seedComparison } from '../comparisons/seed-comparison.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { rowsOfWorkspaces, waitForJobs } from '../isolation/workspace-rows.ts'
import { runsOf, seedDecision } from './seed-decision.ts'

const FIELDS = ['verdict', 'summary', 'metrics', 'labels', 'notCompared', 'pairs', 'onlyBaseline', 'looks', 'warnings']

describeEachEngine('decisions', (app) => {
  it('stores every number of the comparison, the texts of what got worse, and the metadata of the runs', async () => {
    const seeded = await seedDecision(app(), { metric: 'right', margin: 0.05 })
    const { client, component, candidate, decision, at, itemIds } = seeded
    const metadata = { prompt: 'v7' }
    await client.patch(`${component}/runs/${candidate.runId}/metadata`, { metadata })
    const comparison = await compared(seeded, 'margin=0.05&limit=100')
    const first = (await client.get(decision)).body
    const stored = Object(first.comparison)
    for (const field of FIELDS) expect(stored[field], field).toEqual(comparison[field])
    expect(first).toMatchObject({
      decision: 'hold',
      note: 'Bring back the old prompt.',
      metric: 'right',
      margin: 0.05,
      split: null,
      verdict: 'regressed',
      summary: comparison.summary,
      baseline: { name: 'A' },
      candidate: { name: 'B' },
      author: { name: 'Test Person' },
      supersededBy: null,
    })
    expect(stored.worseItems).toMatchObject({ count: 9, isCountCut: false })
    const worse = rowsOf(comparison).slice(0, 9)
    expect(stored.worseItems.data.map(({ itemId }: { itemId: string }) => itemId)).toEqual(
      worse.map(({ itemId }) => itemId),
    )
    expect(stored.worseItems.data[0].input).toEqual({
      text: `question ${itemIds.indexOf(String(worse[0]?.itemId))}`,
      isCut: false,
    })
    const { body: second } = await client.post(`${component}/decisions`, { ...runsOf(seeded), decision: 'release' })
    expect(Object(second.comparison).candidate.metadata).toEqual(metadata)
    expect(Object(second).note).toBe('')
    expect((await client.get(at())).status).toBe(200)
  })

  it('a later decision on the same runs supersedes an earlier one, which does not change', async () => {
    const seeded = await seedDecision(app())
    const { client, decisions, decision, decisionId, baseline, candidate } = seeded
    const before = (await client.get(decision)).body
    const second = await client.create(decisions, { ...runsOf(seeded), decision: 'undecided' })
    const swapped = { baselineRunId: candidate.runId, candidateRunId: baseline.runId, decision: 'release' }
    const other = await client.create(decisions, swapped)
    const rows = await client.list(decisions)
    expect(rows.map(({ id, supersededBy }) => [id, supersededBy])).toEqual([
      [other, null],
      [second, null],
      [decisionId, second],
    ])
    expect((await client.get(decision)).body).toEqual({ ...before, supersededBy: second })
    const of = (filter: string) => client.list(`${decisions}?${filter}`)
    expect((await of(`candidate_run_id=${candidate.runId}`)).map(({ id }) => id)).toEqual([second, decisionId])
    const pair = `candidate_run_id=${baseline.runId}&baseline_run_id=${candidate.runId}`
    expect((await of(pair)).map(({ id }) => id)).toEqual([other])
    expect(await of(`baseline_run_id=${baseline.runId}&candidate_run_id=${baseline.runId}`)).toEqual([])
    for (const method of ['PATCH', 'PUT'])
      expect((await client.send(method, decision, { body: { note: 'x' } })).status).toBe(405)
  })

  it('survives the deletion of its runs and dataset with all its numbers, and goes with its component', async () => {
    const { client, component, datasetId, workspaceId, baseline, candidate, decision, decisions } = await seedDecision(
      app(),
    )
    const before = (await client.get(decision)).text
    const report = (await client.get(`${decision}/report`)).text
    for (const { runId } of [baseline, candidate]) await client.delete(`${component}/runs/${runId}`)
    await client.delete(`${component}/datasets/${datasetId}`)
    await waitForJobs(app().storage, workspaceId)
    expect((await client.get(decision)).text).toBe(before)
    expect((await client.get(`${decision}/report`)).text).toBe(report)
    await client.delete(component)
    expect(await client.get(decision)).toMatchObject({ status: 404, text: '{"error":"Decision not found"}' })
    expect(await client.get(decisions)).toMatchObject({ status: 404, text: '{"error":"Component not found"}' })
    await waitForJobs(app().storage, workspaceId)
    expect((await rowsOfWorkspaces(app().storage, workspaceId)).decisions).toEqual([])
  })

  it('is recorded by annotators, read by viewers and deleted by admins, with an event each in the audit log', async () => {
    const seeded = await seedDecision(app())
    const { workspaceId, decisions, decision, decisionId, owner } = seeded
    const [viewer, annotator, editor, admin] = await Promise.all(
      (['viewer', 'annotator', 'editor', 'admin'] as const).map((role) => browserWith(app(), workspaceId, role)),
    )
    const body = { ...runsOf(seeded), decision: 'release' }
    expect((await viewer?.post(decisions, body))?.status).toBe(403)
    expect((await annotator?.post(decisions, body))?.status).toBe(201)
    expect((await viewer?.get(decision))?.status).toBe(200)
    expect((await editor?.delete(decision))?.status).toBe(403)
    expect((await admin?.delete(decision))?.status).toBe(204)
    expect((await admin?.delete(decision))?.status).toBe(404)
    const events = await owner.list('/audit-log?action=decision')
    expect(events.map(({ action, resourceId, detail }) => [action, resourceId, detail])).toEqual([
      ['decision.deleted', decisionId, null],
      ['decision.recorded', expect.any(String), 'release'],
      ['decision.recorded', decisionId, 'hold'],
    ])
  })

  it('is not recorded with wrong fields, an unknown metric, or runs that cannot be compared', async () => {
    const seeded = await seedDecision(app())
    const { client, decisions, baseline } = seeded
    const good = { ...runsOf(seeded), decision: 'hold' }
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ ...good, decision: 'maybe' }, /decision/],
      [{ ...good, margin: -1 }, /margin/],
      [{ ...good, split: 'all' }, /split/],
      [{ ...good, metric: 'never measured' }, /metric must be the name of a metric/],
      [{ ...good, note: 'x'.repeat(5_001) }, /note/],
      [{ ...good, candidateRunId: baseline.runId }, /two different runs/],
      [{ ...good, verdict: 'improved' }, /verdict/],
    ]
    for (const [body, message] of wrong) {
      const { status, body: sent } = await client.post(decisions, body)
      expect({ body, status }).toEqual({ body, status: 400 })
      expect(sent.error).toMatch(message)
    }
    expect(await client.list(decisions)).toHaveLength(1)
  })

  it('is recorded once for a repeated Idempotency-Key', async () => {
    const seeded = await seedDecision(app())
    const { client, decisions } = seeded
    const body = { ...runsOf(seeded), decision: 'release' }
    const first = await client.post(decisions, body, { 'idempotency-key': 'once' })
    const second = await client.post(decisions, body, { 'idempotency-key': 'once' })
    expect([first.status, second.text]).toEqual([201, first.text])
    expect(await client.list(decisions)).toHaveLength(2)
  })

  it('is listed exactly once for any page size, also while others are recorded', {
    tags: 'sized',
  }, async () => {
    const seeded = await seedDecision(app())
    const { client, decisions, decisionId } = seeded
    const body = { ...runsOf(seeded), decision: 'hold' }
    const known = [decisionId]
    for (let place = 0; place < 6; place += 1) known.unshift(await client.create(decisions, body))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }), async (limits) => {
        const listed: unknown[] = []
        let cursor = ''
        for (let place = 0; ; place += 1) {
          const limit = limits[place % limits.length]
          const { body: page } = await client.get(`${decisions}?limit=${limit}${cursor}`)
          const rows: { id: string }[] = Array.isArray(page.data) ? page.data : []
          listed.push(...rows.map(({ id }) => id))
          if (page.nextCursor === null) break
          cursor = `&cursor=${page.nextCursor}`
        }
        expect(listed).toEqual(known)
      }),
      { numRuns: runs(5) },
    )
    const { body: first } = await client.get(`${decisions}?limit=3`)
    known.unshift(await client.create(decisions, body))
    const rest = await client.list(`${decisions}?cursor=${first.nextCursor}`)
    expect(rest.map(({ id }) => id)).toEqual(known.slice(4))
    for (const query of ['cursor=nonsense', 'limit=0', 'limit=101', 'candidate_run_id=x', 'other=1'])
      expect((await client.get(`${decisions}?${query}`)).status, query).toBe(400)
  })

  describe('on a run that is rated blindly', () => {
    async function ratedBlindly(by: 'owner' | 'rater') {
      const passes = [0, 1, 2].map((item) => ({ item }))
      const seeded = await seedComparison(app(), { items: 3, baseline: passes, candidate: passes })
      const { client, workspaceId, component, candidate, baseline } = seeded
      for (const { runId, traceIds } of [baseline, candidate]) {
        const annotations = `${component}/runs/${runId}/annotations`
        await client.create(annotations, { traceDbId: traceIds[0], rating: 'negative' })
      }
      const policy = `${component}/runs/${candidate.runId}/annotation-policy`
      const setBlind = (blind: boolean) => client.send('PUT', policy, { body: { blind } })
      const rater = await browserWith(app(), workspaceId, 'annotator')
      const owner = await browserWith(app(), workspaceId, 'owner')
      await setBlind(by === 'rater')
      const decisions = `${component}/decisions`
      const body = { ...runsOf(seeded), decision: 'hold' }
      const decisionId = await (by === 'rater' ? rater : owner).create(decisions, body)
      return { decisions, decision: `${decisions}/${decisionId}`, rater, owner, setBlind }
    }

    it('shows a rater nothing that comes from ratings, also if the run became blind after the decision', async () => {
      const { decisions, decision, rater, owner, setBlind } = await ratedBlindly('owner')
      const open = await rater.get(decision)
      expect(open.body.summary).toContain('on rating')
      expect(Object(open.body.comparison).metrics).toContainEqual(expect.objectContaining({ name: 'rating' }))
      await setBlind(true)
      for (const path of [decision, decisions, `${decision}/report`]) {
        const { status, text } = await rater.get(path)
        expect(status).toBe(200)
        expect(text).not.toContain('on rating')
      }
      const hidden = Object((await rater.get(decision)).body.comparison)
      expect(hidden.metrics).not.toContainEqual(expect.objectContaining({ name: 'rating' }))
      expect(hidden.notCompared).toContainEqual({
        name: 'rating',
        reason: expect.stringContaining('blindly'),
        evaluate: null,
      })
      expect(JSON.stringify(hidden.worseItems)).not.toContain('"rating"')
      const whole = Object((await owner.get(decision)).body.comparison)
      expect(whole.metrics).toContainEqual(expect.objectContaining({ name: 'rating' }))
      await setBlind(false)
      expect((await rater.get(decision)).text).toBe(open.text)
    })

    it('has no ratings for anyone if its author did not see them', async () => {
      const { decision, owner, setBlind } = await ratedBlindly('rater')
      await setBlind(false)
      const { metrics } = Object((await owner.get(decision)).body.comparison)
      expect(metrics).not.toContainEqual(expect.objectContaining({ name: 'rating' }))
    })
  })
})
