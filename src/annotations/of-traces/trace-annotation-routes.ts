import { noContent, ok, route } from '../../http/route.ts'
import { TraceParams } from '../../traces/trace-schemas.ts'
import { annotateTrace, readAnnotationsOfTrace, readTraceAnnotation, removeTraceAnnotation } from './annotate-trace.ts'
import { AnnotationsOfTrace, TraceAnnotation, TraceAnnotationBody } from './trace-annotation-schemas.ts'

const tag = 'Annotations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const annotating = { auth: 'key-or-session', workspace: 'header', role: 'annotator' } as const

const getTraceAnnotation = route({
  method: 'GET',
  path: '/traces/:traceId/annotation',
  access: reading,
  summary: 'Get the caller’s annotation of a trace outside of runs',
  tag,
  params: TraceParams,
  responses: { 200: TraceAnnotation },
  handle: async ({ principal, params, ...context }) =>
    ok(await readTraceAnnotation(context, principal, params.traceId)),
})

const putTraceAnnotation = route({
  method: 'PUT',
  path: '/traces/:traceId/annotation',
  access: annotating,
  summary: 'Replace the caller’s annotation of a trace outside of runs; omitted fields become null',
  tag,
  params: TraceParams,
  body: TraceAnnotationBody,
  responses: { 200: TraceAnnotation },
  handle: async ({ principal, params, body, ...context }) =>
    ok(await annotateTrace(context, principal, params.traceId, body)),
})

const deleteOwnTraceAnnotation = route({
  method: 'DELETE',
  path: '/traces/:traceId/annotation',
  access: annotating,
  summary: 'Delete the caller’s annotation of a trace outside of runs',
  tag,
  params: TraceParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await removeTraceAnnotation(context, principal, params.traceId)
    return noContent()
  },
})

const getAnnotationsOfTrace = route({
  method: 'GET',
  path: '/traces/:traceId/annotations',
  access: reading,
  summary: 'List the annotations of a trace, in runs and outside of runs, newest first',
  tag,
  params: TraceParams,
  paged: true,
  responses: { 200: AnnotationsOfTrace },
  handle: async ({ principal, params, page, ...context }) => {
    const { listing, hiddenRaters } = await readAnnotationsOfTrace(context, principal, params.traceId, page)
    const { rows, count, total } = listing
    return { ...ok({ data: rows, hiddenRaters }), extent: { count, total } }
  },
})

export const traceAnnotationRoutes = [
  getTraceAnnotation,
  putTraceAnnotation,
  deleteOwnTraceAnnotation,
  getAnnotationsOfTrace,
]
