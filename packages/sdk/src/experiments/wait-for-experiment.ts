import { followProgress, POLL_MS } from '../follow-progress.ts'
import type { ExperimentDetail } from '../generated/api.ts'
import { sleep } from '../sleep.ts'
import type { Touchstone } from '../touchstone.ts'

const EVENTS = '/components/{componentId}/experiments/{experimentId}/events'

export interface ExperimentProgress {
  phase: ExperimentDetail['phase']
  progress: ExperimentDetail['progress']
  spentUsd: number
}

interface Waiting {
  componentId: string
  experimentId: string
  signal: AbortSignal | undefined
  onProgress(sent: ExperimentProgress): void
}

/** Waits for the end of an experiment by its events. Where they are cut off, as some proxies do, it asks every two seconds. */
export async function waitForExperiment(client: Touchstone, waiting: Waiting): Promise<ExperimentDetail> {
  const { componentId, experimentId, signal, onProgress } = waiting
  while (true) {
    const experiment = await client.experiments.get(componentId, experimentId, { signal })
    const { phase, progress, cost, status } = experiment
    onProgress({ phase, progress, spentUsd: cost.spentUsd })
    if (status === 'completed' || status === 'failed') return experiment
    const events = client.events(EVENTS, { params: { componentId, experimentId }, signal })
    const hasEnded = await followProgress<ExperimentProgress>(events, onProgress)
    if (!hasEnded) await sleep(POLL_MS, signal)
  }
}
