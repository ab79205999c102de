import type { Static } from 'typebox'
import { readNumber } from '../../http/query-parameters.ts'
import { noContent, ok, route } from '../../http/route.ts'
import { RunParams } from '../../runs/run-schemas.ts'
import { nextBatch, nextInQueue } from './next-in-queue.ts'
import { Queue, QueueNextBody, QueueOrBatch, QueueQuery, QueueTracesBody } from './queue-schemas.ts'
import { releaseTraces, skipTraces } from './release-traces.ts'

const access = { auth: 'key-or-session', workspace: 'header', role: 'annotator' } as const

/** Safe to repeat and to prefetch because it creates no lease. */
const getQueue = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/queue',
  access,
  summary: 'Get the annotation queue of a run: the trace that would be next, and how many remain',
  tag: 'Annotations',
  params: RunParams,
  query: QueueQuery,
  responses: { 200: Queue },
  handle: async ({ principal, params, query, ...context }) =>
    ok(await nextInQueue(context, principal, { ...params, ...optionsIn(query), mode: 'look' })),
})

const postQueueNext = route({
  method: 'POST',
  path: '/components/:componentId/runs/:runId/queue/next',
  access,
  summary: 'Get the next trace to annotate, and reserve it for some minutes where the run limits its raters',
  tag: 'Annotations',
  params: RunParams,
  query: QueueQuery,
  body: QueueNextBody,
  isBodyOptional: true,
  responses: { 200: QueueOrBatch },
  // The caller gets what is reserved for the caller again.
  isRepeatable: true,
  handle: async ({ principal, params, query, body, ...context }) => {
    const options = { ...params, ...optionsIn(query), mode: 'take' } as const
    if (body === undefined) return ok(await nextInQueue(context, principal, options))
    const { limit = 1, include = [], first } = body
    return ok(await nextBatch(context, principal, { ...options, limit, include, first }))
  },
})

const postQueueRelease = route({
  method: 'POST',
  path: '/components/:componentId/runs/:runId/queue/release',
  access,
  summary: 'Release traces that the queue has reserved for the caller',
  tag: 'Annotations',
  params: RunParams,
  body: QueueTracesBody,
  responses: { 204: null },
  handle: async ({ principal, params, body, ...context }) => {
    await releaseTraces(context, principal, { ...params, ...body })
    return noContent()
  },
})

const postQueueSkip = route({
  method: 'POST',
  path: '/components/:componentId/runs/:runId/queue/skip',
  access,
  summary: 'Skip traces: the queue releases them, and returns them to the caller after all others',
  tag: 'Annotations',
  params: RunParams,
  body: QueueTracesBody,
  responses: { 204: null },
  handle: async ({ principal, params, body, ...context }) => {
    await skipTraces(context, principal, { ...params, ...body })
    return noContent()
  },
})

export const queueRoutes = [getQueue, postQueueNext, postQueueRelease, postQueueSkip]

const PRECISION = { minimum: 0.005, maximum: 0.5, example: 0.05 }

function optionsIn({ skip = '', order = 'random', evaluator, precision }: Static<typeof QueueQuery>) {
  return {
    skip: skip.split(',').filter((ref) => ref !== ''),
    order,
    evaluator,
    precision: precision === undefined ? undefined : readNumber('precision', precision, PRECISION),
  }
}
