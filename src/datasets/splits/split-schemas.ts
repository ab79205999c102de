import { Type } from 'typebox'
import { Count, closed, described, Id, NullableId, orNull, Timestamp } from '../../http/schemas.ts'
import { SPLITS } from './split.ts'

export const SplitName = Type.Enum(SPLITS, { type: 'string' })
export const NullableSplit = orNull(
  Type.Enum(SPLITS, {
    type: 'string',
    description: 'The part of the dataset: train, validation or test; null for none.',
  }),
)

/** How often evaluations, comparisons and trials have read the test split of a dataset. */
export const TestSet = closed({ openings: Count, summary: Type.String() }, { title: 'TestSet' })

export const TestOpening = closed(
  {
    evaluationId: NullableId,
    trialId: described(NullableId, 'A trial is one opening, with its evaluations and their comparisons.'),
    runIds: Type.Array(Id, { description: 'The two runs of a comparison; empty for an evaluation or a trial.' }),
    openedAt: Timestamp,
  },
  { title: 'TestOpening' },
)
