// @module-tag sql
/** Many people request, rate and skip at once: no trace is ever rated by more people than the run requires. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { ask, newRaters, rate, seedRatedRun, setPolicy } from './rated-run.ts'

describeEachEngine('at the queue of a run', (app) => {
  it('ten concurrent people with two raters per item get traces in pairs, and all of them may rate', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 6)
    await setPolicy(client, path, { ratersPerItem: 2 })
    const raters = await newRaters(app(), { workspaceId, count: 10 })
    const handed = await Promise.all(raters.map((rater) => ask(rater.client, path)))
    const ids = handed.map(({ traceDbId }) => traceDbId)
    expect(ids).not.toContain(null)
    expect(mostOften(ids)).toBeLessThanOrEqual(2)
    const answers = await Promise.all(raters.map((rater, place) => rate(rater.client, path, ids[place] ?? '')))
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 201))
  })

  it('more people than there are places get nothing rather than a place too many', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 2)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const raters = await newRaters(app(), { workspaceId, count: 8 })
    const handed = (await Promise.all(raters.map((rater) => ask(rater.client, path)))).map(({ traceDbId }) => traceDbId)
    expect(handed.filter((id) => id !== null)).toHaveLength(2)
    expect(new Set(handed).size).toBe(3)
  })

  it('in any interleaving of requests, ratings and skips no trace has more raters or leases than the run requires', {
    tags: 'sized',
  }, async () => {
    const RATERS = 4
    const { client, workspaceId, componentId, datasetId, traces } = await seedRatedRun(app(), 4)
    const raters = await newRaters(app(), { workspaceId, count: RATERS })
    const traceIds = traces.map(({ traceId }) => traceId)
    const step = fc.record({
      rater: fc.nat(RATERS - 1),
      does: fc.constantFrom(
        'ask',
        'ask ahead',
        'rate',
        'rate',
        'skip',
        'set aside',
        'release',
        'barge in',
        'take back',
      ),
      trace: fc.nat(traces.length - 1),
    })
    const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), rounds, async (ratersPerItem, plan) => {
        const runId = await client.create(`/components/${componentId}/runs`, { datasetId, traceIds })
        const path = `/components/${componentId}/runs/${runId}`
        await setPolicy(client, path, { ratersPerItem })
        const held = raters.map((): string | null => null)
        for (const round of plan) {
          await Promise.all(
            round.map(async ({ rater, does, trace }) => {
              const person = raters[rater]
              if (!person) throw new Error('there are so many')
              if (does === 'ask') held[rater] = (await ask(person.client, path)).traceDbId
              if (does === 'ask ahead') {
                const { body } = await person.client.post(`${path}/queue/next`, { limit: 3 })
                const [next] = Array.from(Object(body.items), (item) => String(Object(item).traceDbId))
                held[rater] = next ?? null
              }
              const mine = held[rater] ?? null
              const given = does === 'set aside' ? 'skip' : 'release'
              if ((does === 'set aside' || does === 'release') && mine !== null) {
                expect((await person.client.post(`${path}/queue/${given}`, { traceIds: [mine] })).status).toBe(204)
              }
              if (does === 'skip' && mine !== null) held[rater] = (await ask(person.client, path, [mine])).traceDbId
              if (does === 'rate' && mine !== null) {
                const { status, text } = await rate(person.client, path, mine)
                expect([201, 409], text).toContain(status)
              }
              const target = traces[trace]?.id ?? ''
              if (does === 'barge in') expect([201, 409]).toContain((await rate(person.client, path, target)).status)
              if (does === 'take back') expect([201]).toContain((await rate(person.client, path, target, '')).status)
            }),
          )
          expect(await mostOnOneTrace(runId)).toBeLessThanOrEqual(ratersPerItem)
        }
      }),
      { numRuns: runs(12), endOnFailure: true },
    )
  })

  /** People who have rated a trace or hold it, each once. */
  async function mostOnOneTrace(runId: string): Promise<number> {
    const { read } = app().storage
    const rated = await read
      .selectFrom('annotations')
      .select(['trace_ref', 'user_id'])
      .where('run_id', '=', runId)
      .where('rating', '<>', '')
      .execute()
    const leased = await read
      .selectFrom('annotation_leases')
      .select(['trace_ref', 'user_id'])
      .where('run_id', '=', runId)
      .execute()
    const places = new Set([...rated, ...leased].map(({ trace_ref, user_id }) => `${trace_ref} ${user_id}`))
    return mostOften([...places].map((place) => place.split(' ', 1)[0] ?? ''))
  }
})

function mostOften(values: readonly (string | null)[]): number {
  return Math.max(0, ...[...Map.groupBy(values, (value) => value).values()].map((same) => same.length))
}
