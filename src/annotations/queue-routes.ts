import { ok, route } from '../http/route.ts'
import { RunParams } from '../runs/run-schemas.ts'
import { nextInQueue } from './next-in-queue.ts'
import { Queue, QueueQuery } from './queue-schemas.ts'

export const getQueue = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/queue',
  access: { auth: 'key-or-session', workspace: 'header', role: 'annotator' },
  summary: 'Hands the caller the next trace of a run that he or she has not rated',
  tag: 'Annotations',
  params: RunParams,
  query: QueueQuery,
  responses: { 200: Queue },
  handle: async ({ principal, params, query, ...context }) => {
    const skip = (query.skip ?? '').split(',').filter((ref) => ref !== '')
    return ok(await nextInQueue(context, principal, { ...params, skip }))
  },
})
