import { type Line, limitLine } from './harness/line.ts'
import { encodeRequest, sendOne } from './harness/load.ts'
import { startTouchstone, type Touchstone } from './harness/servers.ts'

const DELAY_MS_MAX = 50
const TRACES = 10_000
const DATASETS = 10

/** Measures the longest time for which one large request blocks all others. */
export async function* measureEventLoop(): AsyncGenerator<Line> {
  const touchstone = await startTouchstone()
  try {
    const component = await create(touchstone, '/api/v1/components', { name: 'Large' })
    const datasets = `/api/v1/components/${component}/datasets`
    const traceIds = Array.from({ length: TRACES }, (_, place) => `trace-${String(place).padStart(26, '0')}`)
    const limit = { max: DELAY_MS_MAX, unit: 'ms' }
    // The first request runs uncompiled code; it is excluded.
    await create(touchstone, datasets, { name: 'Warm-up', traceIds })

    await touchstone.ask('watchEventLoop')
    await create(touchstone, datasets, { name: 'Measured', traceIds })
    const onCreate = await touchstone.ask('longestDelayMs')
    yield limitLine(`longest delay: dataset of ${TRACES} traces`, onCreate, limit)

    for (let made = 2; made < DATASETS; made += 1) await create(touchstone, datasets, { name: 'More', traceIds })
    await touchstone.ask('watchEventLoop')
    await send(touchstone, 'DELETE', `/api/v1/components/${component}`, 204)
    await touchstone.ask('untilNoJobs')
    const onDelete = await touchstone.ask('longestDelayMs')
    yield limitLine(`longest delay: delete of ${DATASETS * TRACES} rows`, onDelete, limit)
  } finally {
    await touchstone.stop()
  }
}

async function create(touchstone: Touchstone, path: string, body: unknown): Promise<string> {
  return JSON.parse(await send(touchstone, 'POST', path, 201, body)).id
}

async function send(
  { port, key }: Touchstone,
  method: 'POST' | 'DELETE',
  path: string,
  wanted: number,
  body?: unknown,
): Promise<string> {
  const answer = await sendOne(port, encodeRequest({ method, path, key, body }))
  if (answer.status !== wanted) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
  return answer.body
}
