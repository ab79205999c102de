import { type Load, sendMany } from './load.ts'

const WARM_UP_ROUNDS = 2
const YARDSTICK_COUNT_MIN = 1_000

/** The amount of work. With less of it, the spread shows how reliable the result is. */
export type Effort = {
  rounds: number
  share: number
  /** The number of spans in the larger of the two compared sets of traces; the other one has a tenth. */
  spans: number
  spansPerTrace: number
  /** The folder in which these sets are stored between runs. */
  keep?: string
  /** True if the figures are written to a file. */
  isRecorded?: boolean
}

export type Operation = {
  name: string
  status: number
  /** Requests per round at full effort. */
  count: number
  /** Fewer than those of the load generator, where the server rejects a caller who sends too many of them at the same time. */
  connections?: number | undefined
  requests(key: string): Buffer[]
}

/** A server under load: Touchstone or the baseline. */
export type Side = { server: Loaded; requests: readonly Buffer[] }

type Loaded = { port: number; ask(name: 'cpuMicros'): Promise<number> }

export type Comparison = {
  /** CPU time per request relative to the baseline: the median, the minimum and the maximum of all rounds. */
  ratio: number
  low: number
  high: number
  subjectMicros: number
  yardstickMicros: number
  perSecond: number
}

/**
 * Loads both servers in turn, A-B-A-B, and compares their CPU time. A faster or busier machine changes both alike, so
 * the ratio is comparable where requests per second are not.
 */
export async function compare(
  { status, count: countMax, connections }: Pick<Operation, 'status' | 'count' | 'connections'>,
  { subject, yardstick }: { subject: Side; yardstick: Side },
  { rounds, share }: Effort,
): Promise<Comparison> {
  const count = Math.ceil(countMax * share)
  // With few requests, opening connections would dominate.
  const yardstickCount = Math.max(count, YARDSTICK_COUNT_MIN)
  const loadYardstick = () => sendMany({ ...loadOf(yardstick), status, count: yardstickCount, connections })
  const loadSubject = () => sendMany({ ...loadOf(subject), status, count, connections })
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    await loadYardstick()
    await loadSubject()
  }
  const samples: { ratio: number; subjectMicros: number; yardstickMicros: number; perSecond: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const onYardstick = await cpuOf(yardstick.server, loadYardstick)
    const onSubject = await cpuOf(subject.server, loadSubject)
    const yardstickMicros = onYardstick.micros / yardstickCount
    const subjectMicros = onSubject.micros / count
    const perSecond = count / onSubject.seconds
    samples.push({ ratio: subjectMicros / yardstickMicros, subjectMicros, yardstickMicros, perSecond })
  }
  const ratios = samples.map(({ ratio }) => ratio)
  return {
    ratio: median(ratios),
    low: Math.min(...ratios),
    high: Math.max(...ratios),
    subjectMicros: median(samples.map((sample) => sample.subjectMicros)),
    yardstickMicros: median(samples.map((sample) => sample.yardstickMicros)),
    perSecond: median(samples.map((sample) => sample.perSecond)),
  }
}

/** The total number of requests to the server under test. */
export function requestsSent({ count }: Operation, { rounds, share }: Effort): number {
  return Math.ceil(count * share) * (rounds + WARM_UP_ROUNDS)
}

function loadOf({ server: { port }, requests }: Side): Pick<Load, 'port' | 'requests'> {
  return { port, requests }
}

async function cpuOf(server: Loaded, work: () => Promise<number>): Promise<{ micros: number; seconds: number }> {
  const before = await server.ask('cpuMicros')
  const seconds = await work()
  return { micros: (await server.ask('cpuMicros')) - before, seconds }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
