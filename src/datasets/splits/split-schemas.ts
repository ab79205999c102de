import { Type } from 'typebox'
import { Count, closed, Id, NullableId, orNull, Timestamp } from '../../http/schemas.ts'
import { SPLITS } from './split.ts'

export const SplitName = Type.Enum(SPLITS, { type: 'string' })
export const NullableSplit = orNull(
  Type.Enum(SPLITS, {
    type: 'string',
    description: 'The part of the dataset: train, validation or test; null for none.',
  }),
)

/** How often evaluations and comparisons have read the test split of a dataset. */
export const TestSet = closed({ openings: Count, summary: Type.String() }, { title: 'TestSet' })

export const TestOpening = closed(
  {
    evaluationId: NullableId,
    runIds: Type.Array(Id, { description: 'The two runs of a comparison; empty for an evaluation.' }),
    openedAt: Timestamp,
  },
  { title: 'TestOpening' },
)
