import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rounds } from '../harness/stage.ts'
import { waitFor } from '../harness/wait-for.ts'
import { allCalls, lease, readTrial, seedComponent, startTrial, trialWith, WORKER } from './seed-trial.ts'

/** A hundred thousand in the deep stage: 1,000 items × 5 variants × 20 repetitions. */
const ITEMS = rounds({ test: 40, deep: 1_000, soak: 1_000 })
const VARIANTS = 5
const REPETITIONS = 20
const CALLS = ITEMS * VARIANTS * REPETITIONS
/** Of the process, with the reads below. */
const CPU_SECONDS_MAX = 10

describeEachEngine('a trial with many calls', (app, engine) => {
  it('has all of its rows before the first call, without a long turn of the processor', { tags: 'sized' }, async () => {
    const { client, componentId, ...of } = await seedComponent(app(), ITEMS)
    const variants = Array.from({ length: VARIANTS }, (_, place) => ({ ...WORKER, name: `variant ${place + 1}` }))
    const before = process.cpuUsage()
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
    const { user, system } = process.cpuUsage(before)
    const cpuSeconds = (user + system) / 1e6
    console.log(`${CALLS} calls (${engine}): ${cpuSeconds.toFixed(1)} s of CPU, ${reads} reads meanwhile`)
    if (engine === 'sqlite') expect(cpuSeconds).toBeLessThan(CPU_SECONDS_MAX)
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
