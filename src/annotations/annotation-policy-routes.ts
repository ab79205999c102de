import { Type } from 'typebox'
import { notFound } from '../base/errors.ts'
import { noContent, ok, route } from '../http/route.ts'
import { closed, orNull } from '../http/schemas.ts'
import { findRun } from '../runs/run-queries.ts'
import { RunParams } from '../runs/run-schemas.ts'
import { readAnnotationPolicy } from './rating-rule-queries.ts'
import { RatingWord } from './rating-scheme-schemas.ts'
import { removeAnnotationPolicy, saveAnnotationPolicy } from './save-annotation-policy.ts'

const RATERS_MAX = 100
const RATINGS_MAX = 50

const RatersPerItem = orNull(Type.Integer({ minimum: 1, maximum: RATERS_MAX }))
const AllowedRatings = orNull(Type.Array(RatingWord, { minItems: 1, maxItems: RATINGS_MAX, uniqueItems: true }))

/** The annotation policy of a run. Null means no limit, or that all ratings are allowed. */
const AnnotationPolicy = closed(
  { ratersPerItem: RatersPerItem, blind: Type.Boolean(), ratings: AllowedRatings },
  { title: 'AnnotationPolicy' },
)

/** Omitted fields have the value of a run without a policy. */
const AnnotationPolicyBody = closed({
  ratersPerItem: Type.Optional(RatersPerItem),
  blind: Type.Optional(Type.Boolean()),
  ratings: Type.Optional(AllowedRatings),
})

const tag = 'Annotations'
const path = '/components/:componentId/runs/:runId/annotation-policy'
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const getAnnotationPolicy = route({
  method: 'GET',
  path,
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get the annotation policy of a run',
  tag,
  params: RunParams,
  responses: { 200: AnnotationPolicy },
  handle: async ({ db, principal, params }) => {
    const scope = { workspaceId: principal.workspaceId, ...params }
    const [run] = await findRun(db.read, scope)
    if (!run) throw notFound('Run')
    return ok(await readAnnotationPolicy(db.read, scope))
  },
})

const putAnnotationPolicy = route({
  method: 'PUT',
  path,
  access: editing,
  summary: 'Set the annotation policy of a run',
  tag,
  params: RunParams,
  body: AnnotationPolicyBody,
  responses: { 200: AnnotationPolicy },
  handle: async ({ principal, params, body, ...context }) =>
    ok(await saveAnnotationPolicy(context, principal, { ...params, changes: body })),
})

const removeRunAnnotationPolicy = route({
  method: 'DELETE',
  path,
  access: editing,
  summary: 'Delete the annotation policy of a run',
  tag,
  params: RunParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await removeAnnotationPolicy(context, principal, params)
    return noContent()
  },
})

export const annotationPolicyRoutes = [getAnnotationPolicy, putAnnotationPolicy, removeRunAnnotationPolicy]
