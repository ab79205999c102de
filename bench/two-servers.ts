import { type Effort, median, type Operation } from './harness/compare.ts'
import type { Line } from './harness/line.ts'
import { sendMany } from './harness/load.ts'
import type { Touchstone } from './harness/servers.ts'

const GAIN_MIN = 1.7
const WARM_UP_ROUNDS = 2

/**
 * How many times as many requests two servers on one PostgreSQL can process as one, if each has a core: computed from the CPU time per
 * request of one server alone and of both at once. On a machine whose cores also run the database and the sender, requests per second
 * would measure those.
 */
export async function twoServersLine(
  operation: Operation,
  { one, other }: { one: Touchstone; other: Touchstone },
  { rounds, share }: Effort,
): Promise<Line> {
  const { name, status } = operation
  const requests = operation.requests(one.key)
  const count = 2 * Math.ceil((operation.count * share) / 2)
  const send = ({ port }: Touchstone, part: number) => sendMany({ port, requests, count: part, status })
  const cpuMicros = async () => (await one.ask('cpuMicros')) + (await other.ask('cpuMicros'))
  const microsOf = async (work: () => Promise<unknown>) => {
    const before = await cpuMicros()
    await work()
    return ((await cpuMicros()) - before) / count
  }
  const samples: { alone: number; together: number }[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    const alone = await microsOf(() => send(one, count))
    const together = await microsOf(() => Promise.all([send(one, count / 2), send(other, count / 2)]))
    if (round >= WARM_UP_ROUNDS) samples.push({ alone, together })
  }
  const gains = samples.map(({ alone, together }) => (2 * alone) / together)
  const gain = median(gains)
  return {
    name: `two servers by one: ${name}`,
    value: `${gain.toFixed(2)}x`,
    bar: `>= ${GAIN_MIN}x`,
    isMet: gain >= GAIN_MIN,
    detail:
      `${Math.min(...gains).toFixed(2)}-${Math.max(...gains).toFixed(2)}; CPU ` +
      `${median(samples.map(({ alone }) => alone)).toFixed(0)} alone, ${median(samples.map(({ together }) => together)).toFixed(0)} together`,
  }
}
