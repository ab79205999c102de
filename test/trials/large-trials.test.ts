import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rounds } from '../harness/stage.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  allCalls,
  type Component,
  lease,
  readTrial,
  seedComponent,
  startTrial,
  trialWith,
  WORKER,
} from './seed-trial.ts'

/** 100,000 calls in the deep stage, which is the limit; `bench/` times them: 1,000 items × 5 variants × 20 repetitions. */
const ITEMS = rounds({ test: 40, deep: 1_000, soak: 1_000 })
const VARIANTS = 5
const REPETITIONS = 20
const CALLS = ITEMS * VARIANTS * REPETITIONS

describeEachEngine('a trial with many calls', (app) => {
  it('has all of its rows before the first call', { tags: 'sized' }, async () => {
    const { client, componentId, ...of } = await seedComponent(app(), ITEMS)
    const variants = Array.from({ length: VARIANTS }, (_, place) => ({ ...WORKER, name: `variant ${place + 1}` }))
    const trial = await startTrial({ client, componentId, ...of }, { variants, repetitions: REPETITIONS })
    let reads = 0
    await waitFor(
      'all rows',
      async () => {
        reads += 1
        const { status, progress } = await readTrial(client, trial.path)
        expect(progress).toEqual({ total: CALLS, done: 0, failed: 0, skipped: 0 })
        if (status === 'running') return true
        expect(await lease(client, componentId, { max: 1 })).toEqual([])
        return undefined
      },
      () => reads,
    )
    const leased = await lease(client, componentId, { max: VARIANTS * REPETITIONS })
    expect(new Set(leased.map(({ itemId }) => itemId)).size).toBe(1)
    expect(leased.map(({ repetition }) => repetition)).toEqual(
      Array.from({ length: VARIANTS }, () => Array.from({ length: REPETITIONS }, (_, place) => place + 1)).flat(),
    )
    const [last] = await allCalls(client, trial.path, `&cursor=${cursorBefore(CALLS)}`)
    expect(last).toMatchObject({ id: CALLS, variant: `variant ${VARIANTS}`, repetition: REPETITIONS, state: 'queued' })
    expect((await client.post(`${trial.path}/cancel`, undefined)).status).toBe(202)
    const ended = await trialWith(client, trial.path)
    expect(ended.progress).toEqual({ total: CALLS, done: 0, failed: 0, skipped: CALLS })
  })

  it('lets requests of others through while its rows are stored, and while they are skipped', {
    tags: 'deep',
  }, async () => {
    const of = await seedComponent(app(), ITEMS)
    const other = await seedComponent(app(), 1)
    const variants = Array.from({ length: VARIANTS }, (_, place) => ({ ...WORKER, name: `variant ${place + 1}` }))
    const trial = await startTrial(of, { variants, repetitions: REPETITIONS })
    const planned = () =>
      app()
        .storage.read.selectFrom('trials')
        .select('calls_planned as calls')
        .where('workspace_id', '=', of.workspaceId)
        .where('id', '=', trial.id)
        .executeTakeFirstOrThrow()
    expect(await mostBetweenRequests(other, planned)).toBeLessThanOrEqual(CALLS_BETWEEN_REQUESTS)
    await trialWith(of.client, trial.path, ['running'])
    expect((await of.client.post(`${trial.path}/cancel`, undefined)).status).toBe(202)
    const skipped = () =>
      app()
        .storage.read.selectFrom('trial_variants')
        .select(({ fn }) => fn.sum<number>('calls_skipped').as('calls'))
        .where('workspace_id', '=', of.workspaceId)
        .where('trial_id', '=', trial.id)
        .executeTakeFirstOrThrow()
    expect(await mostBetweenRequests(other, skipped)).toBeLessThanOrEqual(CALLS_BETWEEN_REQUESTS)
  })
})

/** Twenty transactions of 500. A request has a few statements, and one of them at a time is between two transactions. */
const CALLS_BETWEEN_REQUESTS = 10_000

/** How far the trial gets between a read, a write and the next read of another application, at most. */
async function mostBetweenRequests(
  { client, componentId, datasetId }: Component,
  progress: () => Promise<{ calls: number }>,
): Promise<number> {
  let most = 0
  for (let before = 0; before < CALLS; ) {
    expect((await client.get(`/components/${componentId}/datasets/${datasetId}`)).status).toBe(200)
    expect((await client.patch(`/components/${componentId}`, { name: `Support ${before}` })).status).toBe(200)
    const now = Number((await progress()).calls)
    most = Math.max(most, now - before)
    before = now
  }
  console.log(`at most ${most} of ${CALLS} calls between two requests`)
  return most
}

function cursorBefore(number: number): string {
  return Buffer.from(JSON.stringify(['', number - 1])).toString('base64url')
}
