import type { TrialDetail } from '../generated/api.ts'
import { ConnectionError } from '../sdk-errors.ts'
import { sleep } from '../sleep.ts'
import type { Touchstone } from '../touchstone.ts'

const EVENTS = '/components/{componentId}/trials/{trialId}/events'
const POLL_MS = 2_000

interface Waiting {
  componentId: string
  trialId: string
  signal: AbortSignal | undefined
  onProgress(progress: TrialDetail['progress'], spentUsd: number): void
}

/** Waits until a trial is completed or failed, and no call of it runs. Where its events are cut off, it asks every two seconds. */
export async function waitForTrial(client: Touchstone, waiting: Waiting): Promise<TrialDetail> {
  const { componentId, trialId, signal, onProgress } = waiting
  while (true) {
    const trial = await client.trials.get(componentId, trialId, { signal })
    const { progress, cost, status } = trial
    onProgress(progress, cost.spentUsd)
    const isSettled = progress.done + progress.failed + progress.skipped >= progress.total
    if ((status === 'completed' || status === 'failed') && isSettled) return trial
    const hasEnded = await followEvents(client, waiting)
    if (hasEnded) return client.trials.get(componentId, trialId, { signal })
    await sleep(POLL_MS, signal)
  }
}

async function followEvents(client: Touchstone, { componentId, trialId, signal, onProgress }: Waiting) {
  try {
    for await (const { event, data } of client.events(EVENTS, { params: { componentId, trialId }, signal })) {
      if (event === 'end') return true
      if (event !== 'progress') continue
      const { progress, spentUsd } = JSON.parse(data)
      onProgress(progress, spentUsd)
    }
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
  }
  return false
}
