import { type Effort, type Operation, requestsSent } from './harness/compare.ts'
import { type Line, ratioLine } from './harness/line.ts'
import { encodeRequest } from './harness/load.ts'
import { compareWithBare, type Servers } from './harness/servers.ts'

const RATIO_MAX = 5

export const createComponent: Operation = {
  name: 'create component, durable',
  status: 201,
  count: 8_000,
  requests: (key) =>
    Array.from({ length: 1_000 }, (_, place) =>
      encodeRequest({
        method: 'POST',
        path: '/api/v1/components',
        key,
        body: { name: `Created ${place}`, description: 'Answers the questions of customers, with citations' },
      }),
    ),
}

/** Also counts the stored components: a fast response does not count if nothing was stored. */
export async function* measureCreate(servers: Servers, effort: Effort): AsyncGenerator<Line> {
  const before = await servers.touchstone.ask('countComponents')
  const comparison = await compareWithBare(createComponent, servers, effort)
  const made = (await servers.touchstone.ask('countComponents')) - before
  // One more: the bare server learns its response from a request of its own.
  const acknowledged = requestsSent(createComponent, effort) + 1
  if (made !== acknowledged) throw new Error(`${acknowledged} components were acknowledged, ${made} are there`)
  yield ratioLine(createComponent.name, comparison, RATIO_MAX)
}
