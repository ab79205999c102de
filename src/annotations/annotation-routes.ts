import { badRequest } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { DatasetParams } from '../datasets/dataset-schemas.ts'
import { readBoolean } from '../http/query-parameters.ts'
import { created, list, noContent, ok, route } from '../http/route.ts'
import { ErrorBody, listOf } from '../http/schemas.ts'
import { RunParams } from '../runs/run-schemas.ts'
import { listDatasetAnnotations, listRunAnnotations } from './annotation-list-queries.ts'
import {
  Annotation,
  AnnotationParams,
  CorrectedOutput,
  RunAnnotations,
  RunAnnotationsQuery,
  SaveAnnotationBody,
  Undone,
} from './annotation-schemas.ts'
import { attachTraces } from './attach-traces.ts'
import { readCorrectedOutput, saveCorrectedOutput } from './correct-output.ts'
import { removeAnnotation } from './remove-annotation.ts'
import { saveAnnotation } from './save-annotation.ts'
import { undoAnnotation } from './undo-annotation.ts'

const tag = 'Annotations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const annotating = { auth: 'key-or-session', workspace: 'header', role: 'annotator' } as const

export const getDatasetAnnotations = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/annotations',
  ignoresOtherParameters: true,
  access: reading,
  summary: 'List the annotations of a dataset, newest first',
  tag,
  params: DatasetParams,
  paged: true,
  responses: { 200: listOf(Annotation) },
  handle: async ({ db, principal, params, page }) =>
    list(await listDatasetAnnotations(db.read, { ...readerOf(principal), ...params, ...page })),
})

const getRunAnnotations = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/annotations',
  access: reading,
  summary: 'List the annotations of a run, newest first',
  tag,
  params: RunParams,
  query: RunAnnotationsQuery,
  ignoresOtherParameters: true,
  paged: true,
  responses: { 200: RunAnnotations },
  handle: async ({ db, principal, params, query, page }) => {
    const isMine = readBoolean('mine', query.mine ?? 'false')
    const found = await listRunAnnotations(db.read, { ...readerOf(principal), ...params, isMine, ...page })
    if (query.include === undefined) return list(found)
    if (query.include !== 'trace') throw badRequest('The query parameter include must be trace')
    return list({ ...found, rows: await attachTraces(db.read, principal.workspaceId, { ...params, rows: found.rows }) })
  },
})

const postRunAnnotation = route({
  method: 'POST',
  path: '/components/:componentId/runs/:runId/annotations',
  ignoresOtherParameters: true,
  access: annotating,
  summary: 'Create or update the caller’s annotation of a trace',
  tag,
  params: RunParams,
  body: SaveAnnotationBody,
  responses: { 201: Annotation, 409: ErrorBody },
  handle: async ({ principal, params, body, ...context }) =>
    created(await saveAnnotation(context, principal, { ...params, ...body })),
})

const deleteRunAnnotation = route({
  method: 'DELETE',
  path: '/components/:componentId/runs/:runId/annotations/:annotationId',
  ignoresOtherParameters: true,
  access: annotating,
  summary: 'Delete an annotation',
  tag,
  params: AnnotationParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await removeAnnotation(context, principal, params)
    return noContent()
  },
})

const postAnnotationUndo = route({
  method: 'POST',
  path: '/components/:componentId/runs/:runId/annotation-undo',
  access: annotating,
  summary: 'Undo the caller’s newest change of an annotation in a run',
  tag,
  params: RunParams,
  responses: { 200: Undone },
  handle: async ({ principal, params, ...context }) => ok(await undoAnnotation(context, principal, params)),
})

const getCorrectedOutput = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/annotations/:annotationId/corrected-output',
  access: reading,
  summary: 'Get the corrected output of an annotation',
  tag,
  params: AnnotationParams,
  responses: { 200: CorrectedOutput },
  handle: async ({ principal, params, ...context }) => ok(await readCorrectedOutput(context, principal, params)),
})

const putCorrectedOutput = route({
  method: 'PUT',
  path: '/components/:componentId/runs/:runId/annotations/:annotationId/corrected-output',
  access: annotating,
  summary: 'Set the corrected output of the caller’s annotation; null removes it',
  tag,
  params: AnnotationParams,
  body: CorrectedOutput,
  responses: { 200: CorrectedOutput },
  handle: async ({ principal, params, body, ...context }) =>
    ok(await saveCorrectedOutput(context, principal, { ...params, ...body })),
})

export const runAnnotationRoutes = [
  getRunAnnotations,
  postRunAnnotation,
  deleteRunAnnotation,
  getCorrectedOutput,
  putCorrectedOutput,
  postAnnotationUndo,
]

function readerOf({ workspaceId, userId }: Principal): { workspaceId: string; readerId: string } {
  return { workspaceId, readerId: userId }
}
