import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey } from './api-query.ts'
import type { TraceComment } from './generated/api.ts'
import type { TraceKey } from './traces-query.ts'
import { useSubmission } from './use-submission.ts'

const PAGE_SIZE = 100
const COMMENTS_MAX = 1000

/** All comments on a trace and its spans, oldest first; of very many the first ones. The tree counts them by span. */
export function traceCommentsQuery(trace: TraceKey) {
  return queryOptions({
    queryKey: [...apiKey('/traces/{traceId}/comments', trace.applicationId), trace.traceId],
    queryFn: ({ signal }) => readComments(trace, signal),
  })
}

async function readComments({ applicationId, traceId }: TraceKey, signal: AbortSignal): Promise<TraceComment[]> {
  const comments: TraceComment[] = []
  for (let offset = 0; offset < COMMENTS_MAX; offset += PAGE_SIZE) {
    const params = { path: { traceId }, query: { limit: PAGE_SIZE, offset } }
    const request = { ...inApplication(applicationId), params, signal }
    const { data } = await dataOf(api.GET('/traces/{traceId}/comments', request))
    comments.push(...data)
    if (data.length < PAGE_SIZE) break
  }
  return comments
}

type NewComment = { text: string; spanId?: string }

export function useAddComment(trace: TraceKey) {
  return useSubmission({
    mutationFn: (comment: NewComment) => postComment(trace, comment),
    onSettled: useRefreshComments(trace),
  })
}

export function useChangeComment(trace: TraceKey, commentId: string) {
  return useSubmission({
    mutationFn: (body: { text: string }) =>
      dataOf(api.PATCH('/traces/{traceId}/comments/{commentId}', { ...onComment(trace, commentId), body })),
    onSettled: useRefreshComments(trace),
  })
}

interface Deletion {
  onDeleted: (comment: TraceComment) => void
  onError: (error: Error) => void
}

/** Not a submission: several comments can be deleted at once. The callbacks also run when the page was left. */
export function useDeleteComment(trace: TraceKey, { onDeleted, onError }: Deletion) {
  return useMutation({
    mutationFn: ({ id }: TraceComment) =>
      dataOf(api.DELETE('/traces/{traceId}/comments/{commentId}', onComment(trace, id))),
    onSuccess: (_nothing, comment) => onDeleted(comment),
    onError,
    onSettled: useRefreshComments(trace),
  })
}

/** Writes a deleted comment again, with a new time. */
export function useRestoreComment(trace: TraceKey, onError: (error: Error) => void) {
  return useMutation({
    mutationFn: ({ text, spanId }: TraceComment) => postComment(trace, { text, ...(spanId !== null && { spanId }) }),
    onError,
    onSettled: useRefreshComments(trace),
  })
}

function postComment({ applicationId, traceId }: TraceKey, body: NewComment) {
  const request = { ...inApplication(applicationId), params: { path: { traceId } }, body }
  return dataOf(api.POST('/traces/{traceId}/comments', request))
}

function onComment({ applicationId, traceId }: TraceKey, commentId: string) {
  return { ...inApplication(applicationId), params: { path: { traceId, commentId } } }
}

function useRefreshComments(trace: TraceKey) {
  const queryClient = useQueryClient()
  // Awaited, so that the form is empty only when the comment is in the list.
  return () => queryClient.invalidateQueries({ queryKey: traceCommentsQuery(trace).queryKey })
}
