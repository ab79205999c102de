import { setTimeout as delay } from 'node:timers/promises'
import type { Effort } from './harness/compare.ts'
import { type Line, limitLine } from './harness/line.ts'
import { sendText } from './harness/load.ts'
import { delayLine, probeReads } from './harness/probe-reads.ts'
import { type Servers, startTouchstone, type Touchstone } from './harness/servers.ts'
import { watchMemory } from './harness/watch-memory.ts'

/** The most that one trial may have. */
const CALLS = 100_000
/** With less effort. */
const CALLS_FEWER = 20_000
const VARIANTS = 5
const REPETITIONS = 20

const LAYOUT_CPU_SECONDS_MAX = 10
const MEMORY_MEGABYTES_MAX = 400
const IDLE_MS = 10_000
const LOOK_MS = 100

/** How much it costs to store every call of a very large trial before the first one runs, and how much that delays other requests. */
export async function* measureTrials(_: Servers, { share }: Effort): AsyncGenerator<Line> {
  const calls = share < 1 ? CALLS_FEWER : CALLS
  const touchstone = await startTouchstone()
  try {
    await touchstone.ask('seedComponents', 1)
    const component = `/api/v1/components/${await create(touchstone, '/api/v1/components', { name: 'Trials' })}`
    const datasetId = await create(touchstone, `${component}/datasets`, { name: 'Questions' })
    for (let place = 0; place < calls / VARIANTS / REPETITIONS; place += 1) {
      const input = JSON.stringify({ question: `question ${place}` })
      await create(touchstone, `${component}/datasets/${datasetId}/items`, { input })
    }

    const idle = await probeReads(touchstone, delay(IDLE_MS))
    await touchstone.ask('watchEventLoop')
    const before = await touchstone.ask('cpuMicros')
    const laidOut = startTrial(touchstone, component, { datasetId, calls })
    const [during, held] = await Promise.all([probeReads(touchstone, laidOut), watchMemory(touchstone, laidOut)])
    const cpuSeconds = ((await touchstone.ask('cpuMicros')) - before) / 1e6
    const longestMs = await touchstone.ask('longestDelayMs')
    const name = `while ${calls} calls of a trial are stored`
    const max = (LAYOUT_CPU_SECONDS_MAX * calls) / CALLS
    yield {
      ...limitLine(`CPU of storing ${calls} calls of a trial`, cpuSeconds, { max, unit: 's' }),
      value: `${cpuSeconds.toFixed(1)} s`,
      detail: `with ${during.length} reads meanwhile; all threads`,
    }
    yield limitLine(`memory ${name}`, held.ownMegabytes, { max: MEMORY_MEGABYTES_MAX, unit: 'MB' })
    yield delayLine(`read one, 99 of 100 ${name}`, { during, idle, longestMs })
  } finally {
    await touchstone.stop()
  }
}

/** Returns once all calls are stored, so that the first one may begin. No worker asks for them. */
async function startTrial(
  touchstone: Touchstone,
  component: string,
  { datasetId, calls }: { datasetId: string; calls: number },
): Promise<void> {
  const variants = Array.from({ length: VARIANTS }, (_, place) => ({
    name: `variant ${place + 1}`,
    target: { type: 'worker', queue: 'agent' },
  }))
  const id = await create(touchstone, `${component}/trials`, { datasetId, variants, repetitions: REPETITIONS })
  for (;;) {
    await delay(LOOK_MS)
    const answer = await sendText(touchstone, { method: 'GET', path: `${component}/trials/${id}` })
    const { status, progress }: { status: string; progress: { total: number } } = JSON.parse(answer)
    if (status === 'pending') continue
    if (status === 'running' && progress.total === calls) return
    throw new Error(`the trial is ${status} with ${progress.total} of ${calls} calls`)
  }
}

async function create(touchstone: Touchstone, path: string, body: unknown): Promise<string> {
  const { id }: { id: string } = JSON.parse(await sendText(touchstone, { method: 'POST', path, body }))
  return id
}
