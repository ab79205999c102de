/** The cases of an experiment as version 0.14 of promptic-sdk calls them. */
import { type Static, Type } from 'typebox'
import type { Principal } from '../../base/principal.ts'
import { CASE_SPLITS } from '../../datasets/cases/case-content.ts'
import { CASES_PAGE, type CaseFields, type DatasetCase } from '../../datasets/cases/case-schemas.ts'
import { addCases, changeCase, listCases, removeCase } from '../../datasets/cases/change-case.ts'
import { writeList } from '../../datasets/cases/write-list.ts'
import { ITEMS_PER_REQUEST_MAX } from '../../datasets/items/item-schemas.ts'
import { created, noContent, ok, route, streamed } from '../../http/route.ts'
import { anyObject, closed, Id, listOf, ofTypes, Timestamp } from '../../http/schemas.ts'
import type { Queries } from '../../storage/db.ts'
import { requireAnyExperiment } from './change-described.ts'
import { PrompticParams } from './promptic-schemas.ts'

const tag = 'Experiments of promptic-sdk'
const path = '/experiments/:experimentId/observations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const Split = Type.Enum(CASE_SPLITS, { type: 'string' })

const Observation = closed(
  {
    id: Type.Integer({ minimum: 1, description: 'The number of the case.' }),
    experimentId: Id,
    idx: Type.Integer(),
    expected: Type.String(),
    variables: anyObject(),
    split: Split,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Observation' },
)

const fields = {
  split: Type.Optional(Split),
  // A file of CSV has it as text.
  idx: Type.Optional(ofTypes(['number', 'string', 'null'], { pattern: '^-?[0-9]{1,9}$', multipleOf: 1 })),
}

const NewObservation = closed(
  { expected: Type.String(), variables: anyObject(), ...fields },
  { title: 'NewObservation' },
)

type NewObservation = Static<typeof NewObservation>

const AddObservationsBody = Type.Unsafe<NewObservation | NewObservation[]>({
  description: `One observation, or up to ${ITEMS_PER_REQUEST_MAX} in an array.`,
  type: ['object', 'array'],
  minItems: 1,
  maxItems: ITEMS_PER_REQUEST_MAX,
  properties: NewObservation.properties,
  required: ['expected', 'variables'],
  additionalProperties: false,
  items: NewObservation,
})

const ChangeObservationBody = closed(
  { expected: Type.Optional(Type.String()), variables: Type.Optional(anyObject()), ...fields },
  { minProperties: 1 },
)

const ObservationParams = closed({
  experimentId: Id,
  observationId: Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'The number of the case.' }),
})

/** Where the cases of an experiment are. */
async function datasetOf(q: Queries, { workspaceId, userId }: Principal, experimentId: string) {
  const { componentId, datasetId } = await requireAnyExperiment(q, { workspaceId, experimentId })
  return { workspaceId, userId, componentId, datasetId }
}

function toObservation(experimentId: string, found: DatasetCase) {
  const { id, idx, expectedPayload, inputPayload: variables, split, createdAt, updatedAt } = found
  const value = isWrapped(expectedPayload) ? expectedPayload.value : expectedPayload
  const expected = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  const shown = { expected, variables, split: split ?? 'train' }
  return { id, experimentId, idx: idx ?? id - 1, ...shown, createdAt, updatedAt }
}

function isWrapped(payload: unknown): payload is { value: unknown } {
  return typeof payload === 'object' && payload !== null && Object.keys(payload).join() === 'value'
}

function caseOf({ expected, variables, split, idx }: Partial<NewObservation>): CaseFields {
  return {
    ...(expected !== undefined && { expectedPayload: expected }),
    ...(variables && { inputPayload: variables }),
    ...(split && { split }),
    ...(idx !== undefined && { idx: idx === null ? null : Math.trunc(Number(idx)) }),
  }
}

const getObservations = route({
  method: 'GET',
  path,
  access: reading,
  summary: 'List the cases of an experiment as observations, oldest first',
  tag,
  params: PrompticParams,
  responses: { 200: listOf(Observation) },
  handle: async ({ db, principal, params: { experimentId } }) => {
    const chunks = await listCases({ db }, await datasetOf(db.read, principal, experimentId), {
      limit: CASES_PAGE.max,
      offset: 0,
    })
    return streamed(
      'application/json; charset=utf-8',
      writeList(chunks, (one) => toObservation(experimentId, one)),
    )
  },
})

const postObservations = route({
  method: 'POST',
  path,
  access: editing,
  summary: 'Add observations to the dataset of an experiment',
  tag,
  params: PrompticParams,
  body: AddObservationsBody,
  responses: { 201: listOf(Observation) },
  handle: async ({ principal, params: { experimentId }, body, ...context }) => {
    const scope = await datasetOf(context.db.read, principal, experimentId)
    const added = await addCases(context, scope, [body].flat().map(caseOf))
    return created({ data: added.map((one) => toObservation(experimentId, one)) })
  },
})

const patchObservation = route({
  method: 'PATCH',
  path: `${path}/:observationId`,
  access: editing,
  summary: 'Update an observation',
  tag,
  params: ObservationParams,
  body: ChangeObservationBody,
  responses: { 200: Observation },
  handle: async ({ principal, params: { experimentId, observationId }, body, ...context }) => {
    const scope = await datasetOf(context.db.read, principal, experimentId)
    const changed = await changeCase(context, { ...scope, number: Number(observationId) }, caseOf(body))
    return ok(toObservation(experimentId, changed))
  },
})

const deleteObservation = route({
  method: 'DELETE',
  path: `${path}/:observationId`,
  access: editing,
  summary: 'Delete an observation',
  tag,
  params: ObservationParams,
  responses: { 204: null },
  handle: async ({ principal, params: { experimentId, observationId }, ...context }) => {
    const scope = await datasetOf(context.db.read, principal, experimentId)
    await removeCase(context, { ...scope, number: Number(observationId) })
    return noContent()
  },
})

export const observationRoutes = [getObservations, postObservations, patchObservation, deleteObservation]
