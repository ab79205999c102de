import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { TraceAnnotation } from './generated/api.ts'
import type { TraceKey } from './traces-query.ts'

/** The user's own annotation of a trace, outside of runs. */
export function ownAnnotationQuery({ applicationId, traceId }: TraceKey) {
  return apiQuery('/traces/{traceId}/annotation', { applicationId, params: { path: { traceId } } })
}

/** The newest annotations that the user may see, in runs and outside of runs, and who else has rated the trace. */
export function annotationsOfTraceQuery({ applicationId, traceId }: TraceKey) {
  return apiQuery('/traces/{traceId}/annotations', {
    applicationId,
    params: { path: { traceId }, query: { limit: ANNOTATIONS_SHOWN } },
  })
}

const ANNOTATIONS_SHOWN = 50

export type AnnotationFields = Pick<TraceAnnotation, 'rating' | 'comment' | 'correctedOutput'>

/** Replaces the annotation; without any content it is deleted. Not a submission: the last of several quick ratings counts. */
export function useSaveTraceAnnotation({ applicationId, traceId }: TraceKey) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: AnnotationFields) =>
      dataOf(
        api.PUT('/traces/{traceId}/annotation', {
          ...inApplication(applicationId),
          params: { path: { traceId } },
          body,
        }),
      ),
    // Waits for the connection instead of failing.
    networkMode: 'online',
    // In order, so that an older rating does not arrive last.
    scope: { id: `annotation of ${traceId}` },
    onSuccess: (saved) => {
      queryClient.setQueryData(ownAnnotationQuery({ applicationId, traceId }).queryKey, saved)
      // Ratings of others may be visible from now on, and lists show the new one.
      void queryClient.invalidateQueries({ queryKey: apiKey('/traces/{traceId}/annotations', applicationId) })
      void queryClient.invalidateQueries({ queryKey: apiKey('/traces', applicationId) })
    },
  })
}
