import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rounds } from '../harness/stage.ts'
import { waitFor } from '../harness/wait-for.ts'
import { allCalls, lease, readTrial, seedComponent, startTrial, trialWith, WORKER } from './seed-trial.ts'

/** 20,000 in the deep stage; `bench/` times a hundred thousand: 1,000 items × 5 variants × 20 repetitions. */
const ITEMS = rounds({ test: 40, deep: 200, soak: 1_000 })
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
})

function cursorBefore(number: number): string {
  return Buffer.from(JSON.stringify(['', number - 1])).toString('base64url')
}
