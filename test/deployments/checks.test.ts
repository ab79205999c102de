import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf } from '../harness/otlp-json.ts'
import {
  check,
  evaluate,
  historyOf,
  METRIC,
  moveTo,
  protect,
  runAndEvaluate,
  seedDeployment,
  seedGated,
} from './seed-deployment.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** Of all servers of this file; it never goes back. */
let now = Date.parse('2026-11-26T14:30:00Z')

describeEachEngine(
  'GET …/labels/{label}/check',
  (app) => {
    it('shows conditions, verdict, other metrics and what to compare, and counts as a look', async () => {
      const seeded = await seedGated(app())
      const blocked = await check(seeded, 2, '&weight=10')
      expect(blocked).toMatchObject({
        label: 'production',
        version: 2,
        weight: 10,
        current: { name: 'production', change: 1 },
        change: 1,
        baseline: 1,
        gate: { metric: METRIC, margin: 0.1, maxAgeDays: 14 },
        needsVerdict: true,
        allowed: false,
        verdict: null,
        metrics: [],
        traffic: { tracesPerDay: null, traces: 0 },
        share: null,
        itemsNeeded: { ifEqual: 403, ifAsMeasured: null, available: 60 },
        diff: { from: 1, to: 2 },
      })
      expect((await moveTo(seeded, 2)).body.error).toBe(blocked.error)
      const { runId } = await runAndEvaluate(seeded, 2)
      const open = await check(seeded, 2, '&weight=10')
      expect(open).toMatchObject({
        allowed: true,
        error: null,
        verdict: { candidate: { runId }, verdict: 'equivalent', passed: true },
        itemsNeeded: null,
      })
      expect(open.conditions).toMatchObject(
        ['role', 'version', 'compared', 'unchanged', 'recent', 'notWorse'].map((key) => ({ key, met: true })),
      )
      const names = [open.metrics].flat().map((metric) => Object(metric).name)
      expect(names).toEqual(['error', 'durationMs', 'costUsd', 'totalTokens'])
      await check(seeded, 2)
      expect((await moveTo(seeded, 2)).status).toBe(200)
      expect((await historyOf(seeded))[0]).toMatchObject({ evidence: [{ looks: 1 }] })
    })

    it('what needs no verdict is allowed without one; a missing version and a lacking role are not', async () => {
      const seeded = await seedGated(app())
      expect(await check(seeded, 1)).toMatchObject({ needsVerdict: false, allowed: true, diff: null })
      expect(await check(seeded, 2, '&weight=0')).toMatchObject({ needsVerdict: false, allowed: true })
      const error = 'Prompt answer has no version 9; its newest number is 3'
      expect(await check(seeded, 9)).toMatchObject({ allowed: false, error, verdict: null })
      const staging = await seeded.client.get(`${seeded.path}/labels/staging/check?version=2`)
      expect(staging.body).toMatchObject({
        current: null,
        change: 0,
        baseline: null,
        gate: null,
        allowed: true,
        diff: null,
      })
      const viewing = { ...seeded, client: await browserWith(app(), seeded.workspaceId, 'viewer') }
      const noEditor = 'Moving a label requires the role editor; yours is viewer'
      expect(await check(viewing, 1)).toMatchObject({ allowed: false, error: noEditor })
      await protect(seeded, {}, { minRole: 'admin' })
      const denied = 'Label production is protected: changing it requires the role admin in a session; yours is editor'
      expect(await check(seeded, 1)).toMatchObject({ allowed: false, error: denied })
      for (const query of ['', '?version=0', '?version=1&weight=101', '?version=1&weight=x', '?version=1&decisionId=x'])
        expectError(await seeded.client.get(`${seeded.path}/labels/production/check${query}`), 400)
      const id = seeded.promptId
      expectError(
        await seeded.client.get(`${seeded.path}/labels/production/check?version=2&baselineRunId=${id}`),
        400,
        'baselineRunId and candidateRunId belong together: give both',
      )
    })

    it('evidence that is given is checked as in a move', async () => {
      const seeded = await seedGated(app())
      const { runId } = await runAndEvaluate(seeded, 2)
      await runAndEvaluate(seeded, 2, { name: 'newer' })
      const runs = `&baselineRunId=${seeded.baseline.runId}&candidateRunId=${runId}`
      expect(await check(seeded, 2, runs)).toMatchObject({ allowed: true, verdict: { candidate: { runId } } })
      expect(await check(seeded, 2)).toMatchObject({ verdict: { candidate: { runName: 'newer' } } })
      expect(await check(seeded, 3, runs)).toMatchObject({ allowed: false, verdict: null })
    })

    it('looks that follow new results are counted and named, and a planned or sequential rule decides', async () => {
      const seeded = await seedGated(app())
      const { runId } = await runAndEvaluate(seeded, 2)
      await check(seeded, 2)
      await evaluate(seeded, runId)
      await evaluate(seeded, seeded.baseline.runId)
      const { verdict, warnings } = await check(seeded, 2)
      expect(verdict).toMatchObject({ looks: 2, rule: 'single', summary: expect.stringMatching(/compared 2 times/) })
      expect(warnings).toMatchObject([expect.stringMatching(/compared 2 times/)])
      const gate = { metric: METRIC, margin: 0.1, sequential: true }
      await evaluate(seeded, runId, { baselineRunId: seeded.baseline.runId, gate })
      expect(await check(seeded, 2)).toMatchObject({ verdict: { rule: 'sequential' } })
      expect((await moveTo(seeded, 2)).status).toBe((await check(seeded, 2)).allowed ? 200 : 409)
    })

    it('traffic is that of production, and the share says what it can show and when', async () => {
      const seeded = await seedDeployment(app())
      await runAndEvaluate(seeded, 1, { wrong: (place) => place < 12 })
      await moveTo(seeded, 1)
      await protect(seeded)
      await runAndEvaluate(seeded, 2, { wrong: (place) => place < 12 })
      now += 8 * DAY_MS
      const spans = Array.from({ length: 300 }, (_, place) => ({
        traceId: (place + 1).toString(16).padStart(32, 'e'),
        spanId: spanIdOf(place + 1),
        start: now - place * 60_000,
        attributes: {
          'touchstone.component': 'Answers',
          'touchstone.prompt': 'answer@1',
          'touchstone.prompt.label': place < 200 ? 'production' : 'staging',
        },
      }))
      await sendSpans(seeded.client, spans)
      const { traffic, share } = await check(seeded, 2, '&weight=10')
      expect(traffic).toMatchObject({
        tracesPerDay: 200,
        traces: 200,
        summary: 'About 200 traces of production a day.',
      })
      expect(share).toMatchObject({ weight: 10, tracesPerDay: 20, othersPerDay: 180, daysForMargin: 7 })
      expect(Object(share).summary).toBe(
        'At 10 %, version 2 gets about 20 traces a day. If all of them are scored, a loss of 0.1 on right shows after about 7 days; a loss of 0.2 on right shows after about 2 days.',
      )
      expect(Object(share).detectable.map(({ days }: { days: number }) => days)).toEqual([1, 2, 7, 14, 28])
    })
  },
  { clock: { now: () => now } },
)

describeEachEngine(
  'a verdict of some days ago',
  (app) => {
    it('a verdict is too old when the older of the two evaluations is', async () => {
      const seeded = await seedGated(app())
      now += 10 * DAY_MS
      await runAndEvaluate(seeded, 2)
      now += 4 * DAY_MS
      expect((await check(seeded, 2)).allowed).toBe(true)
      now += 60 * 60 * 1_000
      const { conditions } = await check(seeded, 2)
      expect(conditions).toContainEqual({
        key: 'recent',
        met: false,
        summary: 'The older of the two evaluations is 14 days old, and at most 14 days are allowed.',
      })
      expectError(
        await moveTo(seeded, 2),
        409,
        /14 days old, and at most 14 days are allowed\. Evaluate both runs again/,
      )
      await evaluate(seeded, seeded.baseline.runId)
      expect((await moveTo(seeded, 2)).status).toBe(200)
    })
  },
  { clock: { now: () => now } },
)

describeEachEngine(
  'a model that its provider ends',
  (app) => {
    it('names the day on which the model of the version ends, which is no condition', async () => {
      const seeded = await seedDeployment(app())
      const day = new Date(now + 2 * DAY_MS).toISOString().slice(0, 10)
      const admin = await browserWith(app(), seeded.workspaceId, 'admin')
      const connection = { name: 'ours', baseUrl: 'http://127.0.0.1:9/v1', models: ['first', 'second'] }
      const retirements = [{ model: 'first', on: day }]
      expect((await admin.post('/connections', { ...connection, retirements })).status).toBe(201)
      const versionOf = async (model: string | null, provider: string | null) => {
        const content = { messages: [{ role: 'user', content: `${model} ${provider}` }], provider, model }
        return Number((await seeded.client.post(`${seeded.path}/versions`, { content })).body.number)
      }
      const retirementOf = async (version: number) => (await check(seeded, version)).retirement
      const first = await versionOf('first', 'ours')
      const expected = { provider: 'ours', model: 'first', on: day }
      const summary = (text: string) => `first of ours ${text}.`
      expect(await retirementOf(first)).toEqual({
        ...expected,
        daysLeft: 2,
        summary: summary(`ends on ${day}, in 2 days`),
      })
      expect(await check(seeded, first)).toMatchObject({ allowed: true, error: null })
      // Without a model, the first one of the connection is used.
      expect(await retirementOf(await versionOf(null, 'ours'))).toMatchObject({ model: 'first', daysLeft: 2 })
      expect(await retirementOf(await versionOf('second', 'ours'))).toBeNull()
      expect(await retirementOf(await versionOf('first', null))).toBeNull()
      expect(await retirementOf(await versionOf('first', 'another'))).toBeNull()
      expect(await retirementOf(999)).toBeNull()
      now = Date.parse(day) - 1
      expect(await retirementOf(first)).toMatchObject({ daysLeft: 1, summary: summary(`ends on ${day}, in a day`) })
      now = Date.parse(day) + DAY_MS - 1
      expect(await retirementOf(first)).toMatchObject({ daysLeft: 0, summary: summary(`ends today, ${day}`) })
      now = Date.parse(day) + DAY_MS
      expect(await retirementOf(first)).toMatchObject({ daysLeft: -1, summary: summary(`ended on ${day}`) })
    })
  },
  { clock: { now: () => now } },
)
