import { followProgress, POLL_MS } from '../follow-progress.ts'
import type { EvaluationDetail } from '../generated/api.ts'
import { sleep } from '../sleep.ts'
import type { Touchstone } from '../touchstone.ts'

const EVENTS = '/components/{componentId}/evaluations/{evaluationId}/events'

type Sent = { progress: EvaluationDetail['progress'] }

interface Waiting {
  componentId: string
  evaluationId: string
  signal: AbortSignal | undefined
  onProgress(progress: EvaluationDetail['progress']): void
}

/** Waits for the end of an evaluation by its events. Where they are cut off, as some proxies do, it asks every two seconds. */
export async function waitForEvaluation(client: Touchstone, waiting: Waiting): Promise<EvaluationDetail> {
  const { componentId, evaluationId, signal, onProgress } = waiting
  while (true) {
    const evaluation = await client.evaluations.get(componentId, evaluationId, { signal })
    onProgress(evaluation.progress)
    if (evaluation.status === 'completed' || evaluation.status === 'failed') return evaluation
    const events = client.events(EVENTS, { params: { componentId, evaluationId }, signal })
    const hasEnded = await followProgress<Sent>(events, ({ progress }) => onProgress(progress))
    if (!hasEnded) await sleep(POLL_MS, signal)
  }
}
