/** The trial of an evaluation that is resumable: its items are calls, which this program and others with the same name run. */
import type { Component, Dataset, DatasetItem, LeasedCall, Run, TrialDetail } from '../generated/api.ts'
import { ConflictError, NameNotFoundError, TouchstoneError } from '../sdk-errors.ts'
import { settingsOf, type Touchstone } from '../touchstone.ts'
import { borrowTracing } from '../tracing/borrow-tracing.ts'
import type { EvaluateOptions } from './evaluate-options.ts'
import { findRun } from './find-by-name.ts'
import type { TaskResult } from './run-task.ts'

/** Only the calls of one trial are leased, so evaluations do not share it. */
const QUEUE = 'evaluate'

interface Within {
  component: Component
  dataset: Dataset
}

/** The newest trial with the name, or a new one. One that ended too early goes on. */
export async function openTrial<Output>(
  client: Touchstone,
  { name, resume, split, signal }: EvaluateOptions<Output>,
  { component, dataset }: Within,
): Promise<{ trial: TrialDetail; isNew: boolean }> {
  if (name === undefined) throw new TouchstoneError('An evaluation that is resumable needs a name.')
  if (resume !== undefined) throw new TouchstoneError('Either resume or resumable, not both.')
  const variants = [{ name, target: { type: 'worker' as const, queue: QUEUE } }]
  // Programs that begin at the same time get the same trial.
  const body = { datasetId: dataset.id, name, variants, resume: true, ...(split && { split }) }
  const { id, resumed } = await client.trials.create(component.id, body, { signal })
  const trial = await client.trials.get(component.id, id, { signal })
  if (!resumed) return { trial, isNew: true }
  const [variant, ...others] = trial.variants
  const isSame = trial.datasetId === dataset.id && trial.plan.split === (split ?? null)
  if (!isSame || others.length > 0 || variant?.target.queue !== QUEUE)
    throw new TouchstoneError(
      `The trial "${name}" is not one of this evaluation: it has another dataset, split or targets.`,
    )
  return { trial: await restarted(client, trial, signal), isNew: false }
}

async function restarted(
  client: Touchstone,
  trial: TrialDetail,
  signal: AbortSignal | undefined,
): Promise<TrialDetail> {
  const { aiComponentId, id, progress } = trial
  if (!hasEnded(trial) || progress.done >= progress.total) return trial
  try {
    return await client.trials.retry(aiComponentId, id, { signal })
  } catch (error) {
    // No call can succeed that has not: they are failed cases, as without a trial.
    if (error instanceof ConflictError) return trial
    throw error
  }
}

/** A run by its id or name, or that of an evaluation that is resumable: the server names it after trial and variant. */
export async function findBaseline(
  client: Touchstone,
  within: { componentId: string; datasetId: string },
  name: string,
  signal: AbortSignal | undefined,
): Promise<Run> {
  try {
    return await findRun(client, within, name, signal)
  } catch (error) {
    if (!(error instanceof NameNotFoundError)) throw error
    // If there is none either, the first error names what was looked for.
    return findRun(client, within, `${name}: ${name}`, signal).catch(() => Promise.reject(error))
  }
}

interface TrialItems {
  trial: TrialDetail
  items: DatasetItem[]
  limit: number
}

/** Runs the items that no program has run yet. Returns the results of this one, and how many have ended in all. */
export async function runTrialItems<Output>(
  client: Touchstone,
  { task, signal, onProgress }: EvaluateOptions<Output>,
  { trial, items, limit }: TrialItems,
): Promise<{ results: TaskResult<Output>[]; ended: number }> {
  const { aiComponentId: componentId, id, variants, progress } = trial
  const runId = variants[0]?.runId ?? ''
  const itemById = new Map(items.map((item) => [item.id, item]))
  const results: TaskResult<Output>[] = []
  const total = progress.total - progress.done - progress.failed
  const report = () => onProgress?.({ phase: 'tasks', runId, done: results.length, total })
  const add = ({ itemId, traceId }: LeasedCall, end: Pick<TaskResult<Output>, 'output' | 'error'>) => {
    const item = itemById.get(itemId)
    if (item) results.push({ item, traceId, durationMs: 0, ...end })
    report()
  }
  const outputs = new Map<string, Output>()
  const tracing = borrowTracing(settingsOf(client))
  try {
    report()
    await client.trials.work({
      component: componentId,
      queue: QUEUE,
      trial: id,
      concurrency: limit,
      ...(signal && { signal }),
      async run({ itemId, traceId, signal }) {
        const item = itemById.get(itemId) ?? (await client.datasets.items.get(componentId, trial.datasetId, itemId))
        const output = await task(item, { signal })
        outputs.set(traceId, output)
        return output
      },
      onEnd(call, end) {
        if (end.state === 'done') add(call, { output: outputs.get(call.traceId), error: undefined })
        if (end.state === 'failed') add(call, { output: undefined, error: end.error })
      },
    })
    await tracing.flush()
  } finally {
    await tracing.giveBack()
  }
  signal?.throwIfAborted()
  const { progress: now, error, variants: after } = await client.trials.get(componentId, id, { signal })
  if (now.done + now.failed >= now.total) return { results, ended: now.done + now.failed }
  const reason = after[0]?.reason ?? error ?? 'the trial has ended'
  throw new TouchstoneError(`${now.skipped} of ${now.total} items were not run: ${reason}. Repeat with the same name.`)
}

/**
 * Programs that have run the items together evaluate them once: the same key for the same end of the trial and the same evaluation. Undefined if
 * all items had ended before this program began: what it asks for then is another evaluation.
 */
export async function sharedKey(
  client: Touchstone,
  { component, trial }: { component: Component; trial: TrialDetail | undefined },
  body: object,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (!trial || hasEnded(trial)) return undefined
  const { completedAt } = await client.trials.get(component.id, trial.id, { signal })
  const text = new TextEncoder().encode(JSON.stringify([trial.id, completedAt, body]))
  const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', text))
  return `evaluate ${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function hasEnded({ status }: TrialDetail): boolean {
  return status === 'completed' || status === 'failed'
}
