/** Work that waits for its turn, and models that do. */
import type { ChatClient } from '../../src/llm/chat.ts'
import { createHostLimits, type HostLimits, type Limits, limitedModelClient } from '../../src/llm/host-limits.ts'
import { UNKNOWN_USAGE } from '../../src/llm/model-client.ts'
import { type FakeTime, fakeTime, settle } from './fake-time.ts'

export const WIDE: Limits = { concurrency: 1_000, requestsPerMinute: null }
export const ONE: Limits = { concurrency: 1, requestsPerMinute: null }
export const NO_CHAT = {
  chat: () => Promise.reject(new Error('only embeddings and completions are requested')),
  stream: () => {
    throw new Error('only embeddings and completions are requested')
  },
}

/** Work that the test ends, and that notes when it began. */
function bench(limits: HostLimits, time: FakeTime) {
  const begun: { label: string; at: number }[] = []
  const ends: (() => void)[] = []
  const start = time.clock.now()
  let running = 0
  let runningMax = 0
  async function work(label: string): Promise<string> {
    running += 1
    runningMax = Math.max(runningMax, running)
    begun.push({ label, at: time.clock.now() })
    await new Promise<void>((resolve) => ends.push(resolve))
    running -= 1
    return label
  }
  return {
    begun,
    ends,
    labels: () => begun.map(({ label }) => label),
    times: () => begun.map(({ at }) => at - start),
    runningMax: () => runningMax,
    ask(label: string, { host = 'a', owner = label, rules = WIDE, signal = new AbortController().signal } = {}) {
      return limits.run({ host, owner, limits: rules, signal }, () => work(label))
    },
    /** The same by way of a model, which is the label, and a connection. */
    async askModel(
      label: string,
      { connection = 'c', host = 'a', owner = label, rules = WIDE, signal = new AbortController().signal } = {},
    ) {
      const client: ChatClient = {
        ...NO_CHAT,
        complete: () => Promise.reject(new Error('only embeddings are requested')),
        embed: async () => ({ vectors: [], model: await work(label), usage: UNKNOWN_USAGE }),
      }
      const turn = { connection, host, owner, limits: rules, signal }
      const { model } = await limitedModelClient(client, limits, turn).embed({ texts: [] })
      return model
    },
    async endAll() {
      for (let rounds = 0; rounds < 10_000 && ends.length > 0; rounds += 1) {
        ends.shift()?.()
        await settle()
      }
    },
  }
}

export function setUp() {
  const time = fakeTime()
  const limits = createHostLimits(time)
  return { time, limits, work: bench(limits, time) }
}
