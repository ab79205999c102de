import type { Effort, Operation } from './harness/compare.ts'
import { type Line, ratioLine } from './harness/line.ts'
import { encodeRequest } from './harness/load.ts'
import { compareWithBare, type Servers } from './harness/servers.ts'

const RATIO_MAX = 5

export const listFirst = listAt(0, 4_000)

export async function* measureList(servers: Servers, effort: Effort): AsyncGenerator<Line> {
  yield ratioLine(listFirst.name, await compareWithBare(listFirst, servers, effort), RATIO_MAX)
}

export function listAt(offset: number, count: number): Operation {
  const path = `/api/v1/components?limit=50&offset=${offset}`
  return {
    name: offset === 0 ? 'list of 50 components' : `list of 50 at offset ${offset}`,
    status: 200,
    count,
    requests: (key) => [encodeRequest({ method: 'GET', path, key })],
  }
}
