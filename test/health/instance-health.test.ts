import { expect, it } from 'vitest'
import { VERSION } from '../../src/base/version.ts'
import { expectError, TIMESTAMP } from '../conformance/answer-forms.ts'
import { seedChain } from '../conformance/operations.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'

describeEachEngine(
  '/instance/health',
  (app, engine) => {
    async function adminOfAll(workspaceId: string): Promise<Client> {
      const rows = await app().storage.read.selectFrom('workspaces').select('id').execute()
      const person = await app().newPerson(rows.map(({ id }) => ({ workspaceId: id, role: 'admin' as const })))
      return app().asPerson(person, workspaceId)
    }

    it('shows an admin the jobs and the arrivals of the application, and nothing of others', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const other = await app().newWorkspace()
      await seedChain(client)
      await sendSpans(client, [
        { traceId: traceIdOf(1), spanId: spanIdOf(1) },
        { traceId: traceIdOf(2), spanId: spanIdOf(2) },
      ])
      const admin = await browserWith(app(), workspaceId, 'admin')
      const { status, body } = await admin.get('/instance/health')
      expect(status).toBe(200)
      expect(body).toMatchObject({
        version: VERSION,
        checkedAt: TIMESTAMP,
        scope: 'application',
        jobs: [{ kind: 'evaluation', state: 'queued', count: 1, oldestAt: TIMESTAMP }],
        ingest: { windowSeconds: 300, traces: 2, spansToday: 2 },
        installation: null,
      })
      const elsewhere = await (await browserWith(app(), other.workspaceId, 'owner')).get('/instance/health')
      expect(elsewhere.body).toMatchObject({ jobs: [], ingest: { traces: 0, spansToday: 0, storedBytes: 0 } })
      expectError(await (await browserWith(app(), workspaceId, 'editor')).get('/instance/health'), 403)
    })

    it('shows an admin of all applications the database, the search index, the process and all jobs', async () => {
      const { workspaceId } = await app().newWorkspace()
      const jobsOf = await app().newWorkspace()
      await seedChain(jobsOf.client)
      const admin = await adminOfAll(workspaceId)
      const { body } = await admin.get('/instance/health')
      expect(body.scope).toBe('installation')
      const evaluations = Array.from(Object(body.jobs))
        .map(Object)
        .find(({ kind }) => kind === 'evaluation')
      expect(evaluations.count).toBeGreaterThanOrEqual(1)
      expect(body.installation).toMatchObject({ engine, process: { startedAt: TIMESTAMP, worker: 'none' } })
      const { databaseBytes, engineVersion, process } = Object(body.installation)
      expect(engineVersion).toMatch(/^\d+\.\d+/)
      expect(process.nodeVersion).toMatch(/^\d+\.\d+\.\d+$/)
      expect(databaseBytes).toBeGreaterThan(100_000)
      expect(process.memoryBytes).toBeGreaterThan(10_000_000)
      expect(process.eventLoopUtilization).toBeGreaterThanOrEqual(0)
      expect(process.eventLoopUtilization).toBeLessThanOrEqual(1)
    })

    it('reports that the search index has all spans, once it does', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      await sendSpans(client, [
        { traceId: traceIdOf(1), spanId: spanIdOf(1), attributes: { 'input.value': 'a needle' } },
      ])
      await client.list('/traces?q=needle')
      const admin = await adminOfAll(workspaceId)
      await until(async () => {
        const { searchIndex } = Object((await admin.get('/instance/health')).body.installation)
        expect(searchIndex).toMatchObject({ state: 'ready', spansBehind: 0, bytes: expect.any(Number) })
      })
    })
  },
  { works: false },
)
