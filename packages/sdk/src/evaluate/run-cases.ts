import type { DatasetItem } from '../generated/api.ts'
import { TouchstoneError } from '../sdk-errors.ts'
import { sleep } from '../sleep.ts'
import type { Touchstone } from '../touchstone.ts'
import type { EvaluatedCase } from './evaluate-options.ts'
import { runConcurrently } from './run-concurrently.ts'
import type { TaskResult } from './run-task.ts'

const ARRIVAL_TIMEOUT_MS = 30_000
const POLL_MS = 250

interface RunOfCases {
  client: Touchstone
  componentId: string
  runId: string
  signal: AbortSignal | undefined
}

/** The ids of the items that have a trace in the run. */
export async function answeredItems({ client, componentId, runId, signal }: RunOfCases): Promise<Set<string | null>> {
  const traces = await client.runs.traces(componentId, runId, {}, { signal }).toArray()
  return new Set(traces.map(({ itemId }) => itemId))
}

/** Waits until the traces of these results can be read. Throws if they do not arrive: stderr then has the reason of the exporter. */
export async function waitForTraces(
  { client, componentId, runId, signal }: RunOfCases,
  { before, sent }: { before: number; sent: number },
): Promise<void> {
  const deadline = performance.now() + ARRIVAL_TIMEOUT_MS
  while (true) {
    const { traceCount } = await client.runs.get(componentId, runId, { signal })
    if (traceCount >= before + sent) return
    if (performance.now() > deadline) {
      throw new TouchstoneError(
        `Only ${Math.max(0, traceCount - before)} of ${sent} traces have arrived. Repeat with resume: "${runId}".`,
      )
    }
    await sleep(POLL_MS, signal)
  }
}

/**
 * All cases of a run: those that were run now, and those of before, whose outputs are read from the server. A trace that belongs to
 * none of the items is no case.
 */
export async function readCases<Output>(
  run: RunOfCases,
  { items, results, limit }: { items: DatasetItem[]; results: TaskResult<Output>[]; limit: number },
): Promise<EvaluatedCase<Output>[]> {
  const { client, componentId, runId, signal } = run
  const itemById = new Map(items.map((item) => [item.id, item]))
  const resultOf = new Map(results.map((result) => [result.traceId, result]))
  const cases: EvaluatedCase<Output>[] = []
  const before: EvaluatedCase<Output>[] = []
  for await (const { id, traceId, itemId, durationMs } of client.runs.traces(componentId, runId, {}, { signal })) {
    const item = itemById.get(itemId ?? '')
    if (!item) continue
    const { input, expected } = item
    const { output, error } = resultOf.get(traceId) ?? {}
    const one = { item, input, expected, output, error, traceDbId: id, traceId, durationMs: durationMs ?? undefined }
    cases.push(one)
    if (!resultOf.has(traceId)) before.push(one)
  }
  await runConcurrently(before, { limit, signal }, async (one) => {
    const { output, status } = await client.traces.get(one.traceDbId, { spans: 'none' }, { signal })
    if (status === 'error') one.error = 'the task failed in an earlier part of the run'
    // The type of the output is that of the task, which is the same as before.
    else one.output = parseStored(output) as Output
  })
  return cases
}

/** Objects and arrays are stored as JSON; any other text is one. */
function parseStored(text: string | null): unknown {
  if (text === null) return undefined
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
