import { Type } from 'typebox'
import { Count, closed, described, NullableTimestamp } from '../../http/schemas.ts'

export const TestSplit = closed(
  {
    items: Count,
    openings: described(Count, 'How often it has decided, since it was drawn.'),
    earlierOpenings: described(Count, 'How often the test splits before it had decided.'),
    drawnAt: described(NullableTimestamp, 'When it was drawn again; null if it never was.'),
    fresh: described(
      Count,
      'Items without a split that no experiment has read, and that are not nearly the same as one in a split: a new test split is drawn from them.',
    ),
    mayDraw: Type.Boolean(),
    summary: Type.String(),
  },
  { title: 'TestSplit' },
)
