import { followProgress, POLL_MS } from '../follow-progress.ts'
import type { TrialDetail } from '../generated/api.ts'
import { sleep } from '../sleep.ts'
import type { Touchstone } from '../touchstone.ts'

const EVENTS = '/components/{componentId}/trials/{trialId}/events'

/** Servers of earlier versions do not send why calls wait. */
type Sent = { progress: TrialDetail['progress']; spentUsd: number; waiting?: TrialDetail['waiting'] }

interface Waiting {
  componentId: string
  trialId: string
  signal: AbortSignal | undefined
  onProgress(progress: TrialDetail['progress'], spentUsd: number, waiting: TrialDetail['waiting']): void
}

/** Waits until a trial is completed or failed, and no call of it runs. Where its events are cut off, it asks every two seconds. */
export async function waitForTrial(client: Touchstone, waiting: Waiting): Promise<TrialDetail> {
  const { componentId, trialId, signal, onProgress } = waiting
  while (true) {
    const trial = await client.trials.get(componentId, trialId, { signal })
    const { progress, cost, status, waiting = [] } = trial
    onProgress(progress, cost.spentUsd, waiting)
    const isSettled = progress.done + progress.failed + progress.skipped >= progress.total
    if ((status === 'completed' || status === 'failed') && isSettled) return trial
    const events = client.events(EVENTS, { params: { componentId, trialId }, signal })
    const hasEnded = await followProgress<Sent>(events, (sent) =>
      onProgress(sent.progress, sent.spentUsd, sent.waiting ?? []),
    )
    if (hasEnded) return client.trials.get(componentId, trialId, { signal })
    await sleep(POLL_MS, signal)
  }
}
