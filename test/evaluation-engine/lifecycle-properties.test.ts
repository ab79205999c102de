/** For any actions on an evaluation and any behavior of its provider: its progress equals its scores, and a final status stays. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import type { TestApp } from '../harness/test-app.ts'
import {
  connectModel,
  ended,
  expectExactProgress,
  JUDGE,
  judging,
  metricOf,
  QUICK,
  type Row,
  seedOutputs,
  start,
  until,
} from './evaluating.ts'

const CASES = 6

const mood = fc.constantFrom('well' as const, 'failing' as const, 'hanging' as const)

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('cancel' as const, 'retry' as const) },
  { weight: 2, arbitrary: mood },
  { weight: 2, arbitrary: fc.constantFrom('a moment' as const, 'a call' as const, 'the end' as const) },
)

type Mood = typeof mood extends fc.Arbitrary<infer Value> ? Value : never
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** The counters of an evaluation and the counts of its scores, in one statement: nothing happens in between. */
async function bothCounts(app: TestApp, evaluationId: string) {
  const count = (state: string) =>
    sql`(select count(*) from evaluation_scores s where s.workspace_id = e.workspace_id and s.evaluation_id = e.id and s.state like ${state})`
  const { rows } = await sql<Row>`select e.status,
      e.cases_total as reported_total, e.cases_done as reported_done, e.cases_failed as reported_failed, e.cases_skipped as reported_skipped,
      ${count('%')} as total, ${count('scored')} as done, ${count('failed')} as failed, ${count('skipped')} as skipped
    from evaluations e where e.id = ${evaluationId}`.execute(app.storage.read)
  const row = rows[0] ?? {}
  const read = (prefix: string) =>
    Object.fromEntries(['total', 'done', 'failed', 'skipped'].map((name) => [name, Number(row[`${prefix}${name}`])]))
  return { status: String(row.status), reported: read('reported_'), counted: read('') }
}

describeEachEngine(
  'the life of an evaluation',
  (app) => {
    async function live(begins: Mood, steps: readonly Step[]) {
      const seeded = await seedOutputs(app(), CASES)
      const { client, datasetId } = seeded
      let now = begins
      const server = await connectModel(seeded, {
        answer: () => ({ reason: 'fine', passed: true }),
        misbehaviour: () => (now === 'well' ? undefined : now === 'failing' ? { status: 503 } : 'hang'),
      })
      const config = judging({ evaluators: [JUDGE, { type: 'exactMatch' }], concurrency: 3 })
      const path = await start(seeded, { datasetId, config })
      const id = path.split('/').at(-1) ?? ''
      // The status that it must have, as far as the test has seen: a final status stays until a retry.
      let final: string | undefined
      // Collected and not thrown: `until` retries after an error and would hide it.
      const wrong: unknown[] = []
      const look = async () => {
        const { status, reported, counted } = await bothCounts(app(), id)
        if (JSON.stringify(reported) !== JSON.stringify(counted)) wrong.push({ reported, counted })
        if (final !== undefined && status !== final) wrong.push(`it was ${final} and is ${status}`)
        if (status === 'completed' || status === 'failed') final = status
        return status
      }
      for (const what of steps) {
        await look()
        switch (what) {
          case 'cancel': {
            const { status } = await client.post(`${path}/cancel`, undefined)
            expect(status).toBe(final === undefined && status === 202 ? 202 : 409)
            if (status === 202) final = 'failed'
            break
          }
          case 'retry': {
            const { status } = await client.post(`${path}/retry`, undefined)
            expect([202, 409]).toContain(status)
            if (status === 202) final = undefined
            break
          }
          case 'a moment':
            for (let time = 0; time < 5; time += 1) await look()
            break
          case 'a call': {
            const asked = server.requests.length
            await until(async () => {
              const status = await look()
              expect(server.requests.length > asked || ['completed', 'failed'].includes(status)).toBe(true)
            })
            break
          }
          case 'the end':
            if (now !== 'hanging') await until(async () => expect(['completed', 'failed']).toContain(await look()))
            break
          default:
            now = what
        }
      }
      expect(wrong).toEqual([])
      now = 'well'
      for (let time = 0; time < 3; time += 1) {
        await ended(client, path)
        await client.post(`${path}/retry`, undefined)
      }
      const body = await ended(client, path)
      expect(body).toMatchObject({ status: 'completed', error: null })
      expect(body.progress).toEqual({ total: 2 * CASES, done: 2 * CASES, failed: 0, skipped: 0 })
      expect(metricOf(body, 'good')).toMatchObject({ n: CASES, mean: 1 })
      await expectExactProgress(client, path)
    }

    it('for any actions progress always equals the scores, and in the end all is scored', {
      tags: 'sized',
    }, async () => {
      const [seed = 0] = fc.sample(fc.integer(), 1)
      console.log(`lifecycle: seed ${seed}`)
      await fc.assert(fc.asyncProperty(mood, fc.array(step, { minLength: 3, maxLength: 10 }), live), {
        seed,
        numRuns: runs(10),
        endOnFailure: true,
      })
    })
  },
  { ...QUICK, modelTimeoutMs: 1_500 },
)
