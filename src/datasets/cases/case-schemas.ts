import { type Static, Type } from 'typebox'
import {
  anyObject,
  closed,
  Id,
  Metadata,
  NullableInteger,
  ofTypes,
  orNull,
  queryText,
  Timestamp,
} from '../../http/schemas.ts'
import { ITEMS_PER_REQUEST_MAX } from '../items/item-schemas.ts'
import { CASE_SPLITS, type CaseSplit } from './case-content.ts'

const CASES_MAX = 10_000
const INDEX_MAX = 2_147_483_647

const Split = orNull(
  Type.Enum(CASE_SPLITS, {
    type: 'string',
    description: '`eval` is validation and test: written, it is validation.',
  }),
)
const Expected = Type.Unknown({ description: 'Any JSON value' })

export const DatasetCase = closed(
  {
    id: Type.Integer({ minimum: 1, description: 'The number of the item in its dataset, never used again.' }),
    datasetId: Id,
    idx: NullableInteger,
    inputPayload: anyObject(),
    expectedPayload: Expected,
    split: Split,
    metadata: Metadata,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'DatasetCase' },
)

export type DatasetCase = Static<typeof DatasetCase>

const fields = {
  idx: Type.Optional(orNull(Type.Integer({ minimum: -INDEX_MAX, maximum: INDEX_MAX }))),
  expectedPayload: Type.Optional(Expected),
  split: Type.Optional(Split),
  metadata: Type.Optional(ofTypes(['object', 'null'])),
}

export type CaseFields = {
  idx?: number | null
  inputPayload?: Record<string, unknown>
  expectedPayload?: unknown
  split?: CaseSplit | null
  metadata?: Record<string, unknown> | null
}

const NewCase = closed({ inputPayload: anyObject(), ...fields }, { title: 'NewDatasetCase' })

export const AddCasesBody = Type.Array(NewCase, { minItems: 1, maxItems: ITEMS_PER_REQUEST_MAX })

export const ChangeCaseBody = closed({ inputPayload: Type.Optional(anyObject()), ...fields }, { minProperties: 1 })

const CaseNumber = Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'The number of the case.' })

export const CaseParams = closed({ componentId: Id, datasetId: Id, caseId: CaseNumber })

export const CasesQuery = closed({
  limit: queryText({ type: 'integer', minimum: 1, maximum: CASES_MAX, default: CASES_MAX }),
  offset: queryText({ type: 'integer', minimum: 0, default: 0 }),
})

export const CASES_PAGE = { default: CASES_MAX, max: CASES_MAX }
