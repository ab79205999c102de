import { timestamp } from '../base/clock.ts'
import type { Trace } from '../ingestion/native-trace.ts'
import { chooseVersion } from '../prompts/choose-version.ts'
import { EXAMPLE_PROMPT, exampleProductionAt } from './example-prompt.ts'
import { EXAMPLE_CASES, type ExampleCase, exampleAnswer, modelCall } from './example-traces.ts'

const HOUR_MS = 3_600_000
const TRACES = 80
/** Since shortly after the first version went to production. */
const HOURS = 145
/** So many that one of them gets the canary, but for a chance of 1 in 10⁹. */
const CUSTOMERS = 200

/** `isGood` is undefined if no one has rated it. `author` is the place of the one who has. */
export type ProductionTrace = { trace: Trace; isGood: boolean | undefined; author: number }

/** What customers asked in the last week, answered by the version that production served to them at that time. */
export function productionTraces(
  promptId: string,
  { nowMs, newTraceId }: { nowMs: number; newTraceId(): string },
): ProductionTrace[] {
  return Array.from({ length: TRACES }, (_, index) => {
    const hoursAgo = HOURS - (index * HOURS) / TRACES
    const served = exampleProductionAt(hoursAgo) ?? { seed: 1, splits: [] }
    // A canary has its share in any loaded example, although the ids of prompts differ: one of five of these few traces.
    const number = served.splits.at(index % 5 === 0 ? -1 : 0)?.version ?? 1
    const userId = customerOf(number, { promptId, ...served }, index * 7)
    return productionTrace({ index, userId, number, traceId: newTraceId(), startMs: nowMs - hoursAgo * HOUR_MS })
  })
}

/** A customer who gets this version. */
function customerOf(number: number, label: Parameters<typeof chooseVersion>[0], first: number): string {
  for (let tried = 0; ; tried += 1) {
    const userId = `customer-${((first + tried) % CUSTOMERS) + 1}`
    if (chooseVersion(label, userId) === number || tried > CUSTOMERS) return userId
  }
}

type Asked = { index: number; userId: string; number: number; traceId: string; startMs: number }

function productionTrace({ index, userId, number, traceId, startMs }: Asked): ProductionTrace {
  const one = EXAMPLE_CASES[(index * 5) % EXAMPLE_CASES.length]
  if (!one) throw new RangeError('there must be example cases')
  const answer = exampleAnswer(one, number)
  const { span, durationMs } = modelCall({ one, number, answer, index })
  const at = (ms: number) => timestamp(startMs + ms)
  const author = index % 2
  const trace: Trace = {
    traceId,
    name: 'answer customer',
    kind: 'agent',
    startTime: at(0),
    endTime: at(durationMs + 24),
    status: 'ok',
    input: one.question,
    output: answer,
    sessionId: `example-chat-${index + 1}`,
    userId,
    tags: ['example'],
    spans: [{ ...span, startTime: at(12), endTime: at(12 + durationMs), metadata: promptAttributes(index, number) }],
  }
  return { trace, isGood: index % 8 === 2 ? undefined : isGood(one, number, author), author }
}

/** The same words are as good as in the runs. Of the third version, both authors find the answers too long. */
function isGood({ v1, v2 }: ExampleCase, number: number, author: number): boolean {
  if (number > 2) return false
  return (number === 1 ? v1 : v2).ratings?.[author] ?? false
}

/** As the SDKs send them: a program reads a prompt from the network when it starts, and once the server was away. */
function promptAttributes(index: number, number: number) {
  const source = index === 0 || index === 41 ? 'network' : index === 40 ? 'disk' : 'memory'
  return {
    'touchstone.prompt': `${EXAMPLE_PROMPT}@${number}`,
    'touchstone.prompt.label': 'production',
    'touchstone.prompt.source': source,
  }
}
