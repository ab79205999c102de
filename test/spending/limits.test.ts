// @module-tag sql

import { describe, expect, it } from 'vitest'
import { createLedger } from '../../src/spending/ledger.ts'
import { SPENDING_KINDS } from '../../src/spending/spending-kinds.ts'
import { movableClock } from '../conformance/movable-clock.ts'
import { browserWith } from '../conformance/team.ts'
import {
  connectModel,
  evaluated,
  judging,
  QUICK,
  type Row,
  rowsIn,
  scoresOf,
  seedOutputs,
} from '../evaluation-engine/evaluating.ts'
import { createTestDatabase, describeEachEngine, describeEngines } from '../harness/each-engine.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'

const GOOD = '{"reason":"fine","passed":true}'
const DAY = 86_400_000

async function limit(app: TestApp, workspaceId: string, body: Row) {
  const admin = await browserWith(app, workspaceId, 'admin')
  const limits = { maxUsdPerDay: null, maxUsdPer30Days: null, ...body }
  const { status, text } = await admin.send('PUT', '/spending', { body: limits })
  expect(status, text).toBe(200)
}

function ledgerOf({ storage, clock }: TestApp, workspaceId: string) {
  return createLedger({ db: storage, clock, workspaceId, kind: 'judges' })
}

const CLOCK = movableClock()

describeEachEngine(
  'the spending of an application',
  (app) => {
    it('is nothing, without limits, at first', async () => {
      const { client } = await app().newWorkspace()
      const { body, status } = await client.get('/spending')
      expect(status).toBe(200)
      const nothing = { usd: 0, calls: 0, unpricedCalls: 0 }
      const kinds = SPENDING_KINDS.map((kind) => ({ kind, ...nothing }))
      expect(body).toMatchObject({
        maxUsdPerDay: null,
        maxUsdPer30Days: null,
        today: { ...nothing, reservedUsd: 0, kinds },
        last30Days: { ...nothing, reservedUsd: 0, kinds },
        reached: null,
      })
      expect(body.days).toHaveLength(30)
    })

    it('has a maximum that only admins set, in a session, and that the audit log has', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      const body = { maxUsdPerDay: 5, maxUsdPer30Days: null }
      expect((await client.send('PUT', '/spending', { body })).status).toBe(401)
      const editor = await browserWith(app(), workspaceId, 'editor')
      expect((await editor.send('PUT', '/spending', { body })).status).toBe(403)
      await limit(app(), workspaceId, body)
      expect((await client.get('/spending')).body).toMatchObject(body)
      const admin = await browserWith(app(), workspaceId, 'admin')
      const events = await admin.list('/audit-log')
      expect(events).toContainEqual(expect.objectContaining({ action: 'spending.changed' }))
      const viewer = await browserWith(app(), workspaceId, 'viewer')
      expect((await viewer.get('/spending')).status).toBe(200)
    })

    it.each([
      [{ maxUsdPerDay: -1, maxUsdPer30Days: null }],
      [{ maxUsdPerDay: '5', maxUsdPer30Days: null }],
      [{ maxUsdPerDay: 5 }],
      [{ maxUsdPerDay: 5, maxUsdPer30Days: null, maxUsdPerYear: 1 }],
    ])('rejects the maximum %j', async (body) => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const { status, body: error } = await admin.send('PUT', '/spending', { body })
      expect(status).toBe(400)
      expect(Object.keys(error)).toEqual(['error'])
    })

    it('never exceeds the maximum of a day, for any number of calls at once', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      await limit(app(), workspaceId, { maxUsdPerDay: 1 })
      const ledger = ledgerOf(app(), workspaceId)
      // Ten times a tenth is less than one as a double.
      const calls = Array.from({ length: 50 }, () => ledger.reserve({ model: 'm', maxUsd: 0.1 }))
      const outcomes = await Promise.allSettled(calls)
      const entries = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      expect(entries).toHaveLength(10)
      const before = await client.get('/spending')
      expect(before.body.today).toMatchObject({ usd: 1, reservedUsd: 1, calls: 10 })
      expect(before.body.reached).toMatch(/^The spending limit of \$1 per day leaves no room .* begins again at /)
      await Promise.all(entries.map((entry) => entry.settle(0.04)))
      const after = await client.get('/spending')
      expect(after.body).toMatchObject({ today: { usd: 0.4, reservedUsd: 0, calls: 10 }, reached: null })
      await expect(ledger.reserve({ model: 'm', maxUsd: 0.61 })).rejects.toThrow(/leaves no room/)
      await expect(ledger.reserve({ model: 'm', maxUsd: 0.6 })).resolves.toBeDefined()
    })

    it('gives back what a call that was not sent has reserved, once, and counts no call', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      const ledger = ledgerOf(app(), workspaceId)
      const [unsent, rejected] = [
        await ledger.reserve({ model: 'm', maxUsd: 3 }),
        await ledger.reserve({ model: 'm', maxUsd: 4 }),
      ]
      await unsent.release('not sent')
      await unsent.release('not sent')
      await rejected.release('rejected')
      await rejected.settle(4)
      expect((await client.get('/spending')).body.today).toMatchObject({ usd: 0, reservedUsd: 0, calls: 1 })
    })

    it('needs a price for every model once there is a limit, and counts the calls of others before', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      const ledger = ledgerOf(app(), workspaceId)
      await (await ledger.reserve({ model: 'odd-model', maxUsd: null })).settle(0)
      expect((await client.get('/spending')).body.today).toMatchObject({ usd: 0, calls: 1, unpricedCalls: 1 })
      await limit(app(), workspaceId, { maxUsdPer30Days: 1 })
      await expect(ledger.reserve({ model: 'odd-model', maxUsd: null })).rejects.toThrow(
        'No price is configured for odd-model, so the spending limit of the application cannot be enforced; add one under Settings, Prices (/prices)',
      )
    })

    it('of another application does not count', async () => {
      const [one, other] = [await app().newWorkspace(), await app().newWorkspace()]
      await limit(app(), one.workspaceId, { maxUsdPerDay: 1 })
      await ledgerOf(app(), other.workspaceId).reserve({ model: 'm', maxUsd: 9 })
      await expect(ledgerOf(app(), one.workspaceId).reserve({ model: 'm', maxUsd: 1 })).resolves.toBeDefined()
      expect((await one.client.get('/spending')).body.today).toMatchObject({ usd: 1 })
    })

    describe('by judges', () => {
      async function seedJudged(count: number, outputTokens: number) {
        const seeded = await seedOutputs(app(), count)
        await seeded.client.create('/prices', { modelPattern: 'judge-1', inputPerMillion: 0, outputPerMillion: 100 })
        const server = await connectModel(seeded, {
          misbehaviour: () => {
            const message = { role: 'assistant', content: GOOD }
            const usage = { prompt_tokens: 10, completion_tokens: outputTokens }
            return {
              body: JSON.stringify({
                model: 'judge-1',
                choices: [{ index: 0, message, finish_reason: 'stop' }],
                usage,
              }),
            }
          },
        })
        return { ...seeded, server }
      }

      it('is counted as the evaluations count it', async () => {
        const seeded = await seedJudged(3, 1_000)
        await evaluated(seeded, { datasetId: seeded.datasetId, config: judging() })
        const { today } = (await seeded.client.get('/spending')).body
        expect(today).toMatchObject({ usd: 0.3, calls: 3, reservedUsd: 0 })
        expect(rowsIn(Object(today).kinds)[0]).toMatchObject({ kind: 'judges', usd: 0.3, calls: 3 })
      })

      it('skips the scores for which nothing is left, with the reason, and rejects the next start with 409', async () => {
        const seeded = await seedJudged(12, 8_000)
        // A call may cost up to 8,192 tokens: $0.8192.
        await limit(app(), seeded.workspaceId, { maxUsdPerDay: 4 })
        const config = judging({ concurrency: 6 })
        const body = await evaluated(seeded, { datasetId: seeded.datasetId, config })
        const scores = await scoresOf(seeded.client, body.path)
        const skipped = scores.filter(({ state }) => state === 'skipped')
        expect(scores.filter(({ state }) => state === 'scored')).toHaveLength(seeded.server.requests.length)
        expect(seeded.server.requests.length).toBeLessThanOrEqual(5)
        expect(skipped.length).toBeGreaterThan(0)
        for (const { error } of skipped) expect(error).toMatch(/^The spending limit of \$4 per day leaves no room/)
        // The limit of tokens is sent, because the maximum follows from it.
        for (const request of seeded.server.requests) expect(request.body.max_completion_tokens).toBe(8_192)
        await limit(app(), seeded.workspaceId, { maxUsdPerDay: 1 })
        const again = await seeded.client.post(seeded.at, { datasetId: seeded.datasetId, config })
        expect(again.status).toBe(409)
        expect(again.body.error).toMatch(/^The spending limit of \$1 per day leaves no room/)
        for (const path of [`${body.path}/retry`, `${seeded.at}/preview`]) {
          const sent = path.endsWith('preview') ? { datasetId: seeded.datasetId, config } : undefined
          expect((await seeded.client.post(path, sent)).body.error).toMatch(/spending limit/)
        }
        const without = { evaluators: [{ type: 'exactMatch' }] }
        expect((await seeded.client.post(seeded.at, { datasetId: seeded.datasetId, config: without })).status).toBe(202)
      })

      it('cannot begin with a model without a price where there is a limit: 409 names the prices', async () => {
        const seeded = await seedOutputs(app(), 1)
        await connectModel(seeded)
        await limit(app(), seeded.workspaceId, { maxUsdPerDay: 1 })
        const { status, body } = await seeded.client.post(seeded.at, { datasetId: seeded.datasetId, config: judging() })
        expect(status).toBe(409)
        expect(body.error).toMatch(/^No price is configured for judge-1, .*\/prices/)
      })
    })
  },
  QUICK,
)

describeEachEngine(
  'the spending of days',
  (app) => {
    it('counts a call for the day on which it began; the limit of a day begins again, that of 30 days moves on', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      await limit(app(), workspaceId, { maxUsdPerDay: 2, maxUsdPer30Days: 3 })
      const ledger = ledgerOf(app(), workspaceId)
      const first = await ledger.reserve({ model: 'm', maxUsd: 2 })
      await expect(ledger.reserve({ model: 'm', maxUsd: 1 })).rejects.toThrow(/per day/)
      CLOCK.advance(DAY)
      await first.settle(2)
      const second = await ledger.reserve({ model: 'm', maxUsd: 1 })
      await second.settle(1)
      const { body } = await client.get('/spending')
      expect(body).toMatchObject({
        today: { usd: 1 },
        last30Days: { usd: 3 },
        reached: expect.stringMatching(/per 30 days/),
      })
      expect(
        rowsIn(body.days)
          .slice(-2)
          .map(({ usd }) => usd),
      ).toEqual([2, 1])
      CLOCK.advance(28 * DAY)
      await expect(ledger.reserve({ model: 'm', maxUsd: 0.1 })).rejects.toThrow(/per 30 days/)
      CLOCK.advance(DAY)
      await expect(ledger.reserve({ model: 'm', maxUsd: 2 })).resolves.toBeDefined()
    })
  },
  { clock: CLOCK },
)

describeEngines('two servers', (engine) => {
  // The other engine has one process by design.
  it.runIf(engine === 'postgres')('of one database never exceed a limit together', async () => {
    const database = await createTestDatabase(engine, 'migrated')
    const apps = [await startTestApp(database.url), await startTestApp(database.url)] as const
    try {
      const { workspaceId, client } = await apps[0].newWorkspace()
      await limit(apps[0], workspaceId, { maxUsdPerDay: 2 })
      const ledgers = apps.map((app) => ledgerOf(app, workspaceId))
      const calls = Array.from({ length: 100 }, async (_, place) => {
        const entry = await ledgers[place % 2]?.reserve({ model: 'm', maxUsd: 0.1 })
        // Half of the calls turn out to be cheaper, which makes room for others.
        if (place % 4 < 2) await entry?.settle(0.05)
        return entry
      })
      const outcomes = await Promise.allSettled(calls)
      const rejected = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))
      for (const reason of rejected) expect(reason).toMatch(/leaves no room/)
      const { today } = (await client.get('/spending')).body
      expect(Object(today).usd).toBeLessThanOrEqual(2)
      expect(Object(today).usd).toBeGreaterThan(1.8)
      expect(Object(today).calls).toBe(100 - rejected.length)
    } finally {
      for (const app of apps) await app.close()
      database.remove()
    }
  })
})
