/** The metadata of a run has endpoints of its own, because the body of a run has no other fields than those specified. */
import { Type } from 'typebox'
import { badRequest, notFound } from '../base/errors.ts'
import { ok, route } from '../http/route.ts'
import { closed } from '../http/schemas.ts'
import { lockRunMetadata, readRunMetadata, updateRunMetadata } from './run-metadata-queries.ts'
import { RunParams } from './run-schemas.ts'

const FIELDS_MAX = 50
const FIELD_NAME_LENGTH_MAX = 100
const VALUE_LENGTH_MAX = 2_000

type Value = string | number | boolean

const tag = 'Runs'
// `Type.Unsafe`, because Type.Record would be `patternProperties`: see `anyObject`.
const Metadata = Type.Unsafe<Record<string, Value>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
})
const RunMetadata = closed({ metadata: Metadata }, { title: 'RunMetadata' })
const Changes = closed({
  metadata: Type.Unsafe<Record<string, Value | null>>({
    type: 'object',
    description: 'Fields to set. Null removes a field; fields that are not named stay.',
    propertyNames: { minLength: 1, maxLength: FIELD_NAME_LENGTH_MAX },
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: VALUE_LENGTH_MAX },
    maxProperties: FIELDS_MAX,
  }),
})

const getRunMetadata = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/metadata',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get the metadata of a run, such as model, prompt and commit',
  tag,
  params: RunParams,
  responses: { 200: RunMetadata },
  handle: async ({ db, principal, params }) => {
    const metadata = await readRunMetadata(db.read, { workspaceId: principal.workspaceId, ...params })
    if (!metadata) throw notFound('Run')
    return ok({ metadata })
  },
})

const patchRunMetadata = route({
  method: 'PATCH',
  path: '/components/:componentId/runs/:runId/metadata',
  access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
  summary: 'Change the metadata of a run',
  tag,
  params: RunParams,
  body: Changes,
  responses: { 200: RunMetadata },
  handle: async ({ db, principal, params, body }) => {
    const scope = { workspaceId: principal.workspaceId, ...params }
    const metadata = await db.transaction(async (tx) => {
      const known = await lockRunMetadata(tx, scope)
      if (!known) throw notFound('Run')
      const merged = { ...known, ...body.metadata }
      const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
      if (Object.keys(kept).length > FIELDS_MAX) throw badRequest(`A run has at most ${FIELDS_MAX} fields of metadata`)
      await updateRunMetadata(tx, scope, kept)
      return kept
    })
    return ok({ metadata })
  },
})

export const runMetadataRoutes = [getRunMetadata, patchRunMetadata]
