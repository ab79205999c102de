import type { EvaluationDetail } from '../generated/api.ts'
import { ConnectionError } from '../sdk-errors.ts'
import { sleep } from '../sleep.ts'
import type { Touchstone } from '../touchstone.ts'

const EVENTS = '/components/{componentId}/evaluations/{evaluationId}/events'
const POLL_MS = 2000

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
    const hasEnded = await followEvents(client, waiting)
    if (!hasEnded) await sleep(POLL_MS, signal)
  }
}

async function followEvents(
  client: Touchstone,
  { componentId, evaluationId, signal, onProgress }: Waiting,
): Promise<boolean> {
  try {
    const request = { params: { componentId, evaluationId }, signal }
    for await (const { event, data } of client.events(EVENTS, request)) {
      if (event === 'end') return true
      if (event === 'progress') onProgress(JSON.parse(data).progress)
    }
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
  }
  return false
}
