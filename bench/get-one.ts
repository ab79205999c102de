import type { Effort, Operation } from './harness/compare.ts'
import { type Line, ratioLine } from './harness/line.ts'
import { encodeRequest } from './harness/load.ts'
import { seededComponent, spreadPlaces } from './harness/seeded-component.ts'
import { compareWithBare, type Servers } from './harness/servers.ts'

const RATIO_MAX = 2.5

/** Reads components spread over a seeded table of that many rows. */
export function getOne(rows: number): Operation {
  return {
    name: 'GET one component',
    status: 200,
    count: 10_000,
    requests: (key) =>
      spreadPlaces(rows, 10_000).map((place) =>
        encodeRequest({ method: 'GET', path: `/api/v1/components/${seededComponent(place).id}`, key }),
      ),
  }
}

export async function* measureGetOne(servers: Servers, effort: Effort): AsyncGenerator<Line> {
  const operation = getOne(servers.rows)
  yield ratioLine(operation.name, await compareWithBare(operation, servers, effort), RATIO_MAX)
}
