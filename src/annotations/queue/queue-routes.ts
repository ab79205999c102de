import { ok, route } from '../../http/route.ts'
import { RunParams } from '../../runs/run-schemas.ts'
import { nextInQueue } from './next-in-queue.ts'
import { Queue, QueueQuery } from './queue-schemas.ts'

const access = { auth: 'key-or-session', workspace: 'header', role: 'annotator' } as const

/** Safe to repeat and to prefetch because it creates no lease. */
export const getQueue = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/queue',
  access,
  summary: 'Get the annotation queue of a run: the trace that would be next, and how many remain',
  tag: 'Annotations',
  params: RunParams,
  query: QueueQuery,
  responses: { 200: Queue },
  handle: async ({ principal, params, query, ...context }) =>
    ok(await nextInQueue(context, principal, { ...params, skip: refsIn(query.skip), mode: 'look' })),
})

export const postQueueNext = route({
  method: 'POST',
  path: '/components/:componentId/runs/:runId/queue/next',
  access,
  summary: 'Get the next trace to annotate, and reserve it for some minutes where the run limits its raters',
  tag: 'Annotations',
  params: RunParams,
  query: QueueQuery,
  responses: { 200: Queue },
  handle: async ({ principal, params, query, ...context }) =>
    ok(await nextInQueue(context, principal, { ...params, skip: refsIn(query.skip), mode: 'take' })),
})

function refsIn(skip = ''): string[] {
  return skip.split(',').filter((ref) => ref !== '')
}
