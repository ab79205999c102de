import { apiKey } from '../../api/api-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import type { RunKey } from '../../api/run-query.ts'

const RUN = '/components/{componentId}/runs/{runId}'

/** How far a run is rated, and how. The list of disagreements is not read again: rows would leave it while the user resolves them. */
export function useLiveRun({ applicationId }: RunKey): void {
  useLiveQuery(applicationId, ['runs'], apiKey(RUN, applicationId))
  useLiveQuery(applicationId, ['annotations'], apiKey(`${RUN}/agreement`, applicationId))
  useLiveQuery(applicationId, ['annotations', 'evaluations', 'runs'], apiKey(`${RUN}/cases`, applicationId))
  const summaries = apiKey('/components/{componentId}/run-summaries', applicationId)
  useLiveQuery(applicationId, ['annotations', 'evaluations', 'runs'], summaries)
}
