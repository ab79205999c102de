import { Type } from 'typebox'
import { Count, closed, Id, NullableId, Timestamp } from '../http/schemas.ts'
import { SPLITS, type Split } from './split.ts'

export const SplitName = Type.Enum(SPLITS, { type: 'string' })
export const NullableSplit = Type.Unsafe<Split | null>({
  type: ['string', 'null'],
  enum: [...SPLITS, null],
  description: 'The part of the dataset: train, validation or test; null for none.',
})

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
