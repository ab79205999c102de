import { forbidden, notFound } from '../base/errors.ts'
import { isAtLeast, type Principal } from '../base/principal.ts'
import { DatasetParams } from '../datasets/dataset-schemas.ts'
import { created, list, noContent, route } from '../http/route.ts'
import { ErrorBody, listOf } from '../http/schemas.ts'
import { lockRun } from '../runs/run-queries.ts'
import { RunParams } from '../runs/run-schemas.ts'
import {
  deleteAnnotation,
  findAnnotationAuthor,
  listDatasetAnnotations,
  listRunAnnotations,
} from './annotation-queries.ts'
import { Annotation, AnnotationParams, SaveAnnotationBody } from './annotation-schemas.ts'
import { saveAnnotation } from './save-annotation.ts'

const tag = 'Annotations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const annotating = { auth: 'key-or-session', workspace: 'header', role: 'annotator' } as const

export const getDatasetAnnotations = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/annotations',
  access: reading,
  summary: 'List the annotations of a dataset, newest first',
  tag,
  params: DatasetParams,
  paged: true,
  responses: { 200: listOf(Annotation) },
  handle: async ({ db, principal, params, page }) =>
    list(await listDatasetAnnotations(db.read, { ...readerOf(principal), ...params, ...page })),
})

export const getRunAnnotations = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/annotations',
  access: reading,
  summary: 'List the annotations of a run, newest first',
  tag,
  params: RunParams,
  paged: true,
  responses: { 200: listOf(Annotation) },
  handle: async ({ db, principal, params, page }) =>
    list(await listRunAnnotations(db.read, { ...readerOf(principal), ...params, ...page })),
})

export const postRunAnnotation = route({
  method: 'POST',
  path: '/components/:componentId/runs/:runId/annotations',
  access: annotating,
  summary: 'Create or update the caller’s annotation of a trace',
  tag,
  params: RunParams,
  body: SaveAnnotationBody,
  responses: { 201: Annotation, 409: ErrorBody },
  handle: async ({ principal, params, body, ...context }) =>
    created(await saveAnnotation(context, principal, { ...params, ...body })),
})

export const deleteRunAnnotation = route({
  method: 'DELETE',
  path: '/components/:componentId/runs/:runId/annotations/:annotationId',
  access: annotating,
  summary: 'Delete an annotation',
  tag,
  params: AnnotationParams,
  responses: { 204: null },
  handle: async ({ db, principal, params }) => {
    const { workspaceId } = principal
    await db.transaction(async (tx) => {
      const isRunThere = await lockRun(tx, { workspaceId, ...params })
      const author = isRunThere ? await findAnnotationAuthor(tx, { workspaceId, ...params }) : undefined
      if (author === undefined) throw notFound('Annotation')
      const mayDelete = author === principal.userId || isAtLeast(principal.role, 'editor')
      if (!mayDelete) throw forbidden('Only its author or an editor may delete an annotation')
      // A concurrent request may have deleted it.
      if (!(await deleteAnnotation(tx, { workspaceId, ...params }))) throw notFound('Annotation')
    })
    return noContent()
  },
})

function readerOf({ workspaceId, userId }: Principal): { workspaceId: string; readerId: string } {
  return { workspaceId, readerId: userId }
}
