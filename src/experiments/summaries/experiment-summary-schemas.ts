import { type Static, Type } from 'typebox'
import {
  Count,
  closed,
  described,
  Id,
  NullableInterval,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  Timestamp,
} from '../../http/schemas.ts'
import { keysetQuery } from '../../overviews/keyset-page.ts'
import { VersionNumber } from '../../prompts/evidence-schemas.ts'
import { EndedBy, ExperimentValidation, Phase, ResultVerdict, Status } from '../experiment-schemas.ts'

export const ExperimentSummariesQuery = closed(keysetQuery)

const ExperimentSummary = closed(
  {
    id: Id,
    name: NullableString,
    status: Status,
    phase: Phase,
    endedBy: EndedBy,
    error: NullableString,
    optimizer: Type.String(),
    metric: described(NullableString, 'What the search improves; null if it is several evaluators together.'),
    dataset: closed({ id: Id, name: Type.String() }),
    prompt: closed({ id: Id, name: NullableString, version: VersionNumber }),
    createdBy: Id,
    proposals: Count,
    validated: described(Count, 'Without the start.'),
    validation: nullable(ExperimentValidation),
    result: described(
      nullable(
        closed({
          verdict: ResultVerdict,
          difference: NullableNumber,
          ci: NullableInterval,
          items: Count,
          version: nullable(VersionNumber),
        }),
      ),
      'Of the test items; null before the end.',
    ),
    cost: closed({ spentUsd: Type.Number(), maxUsd: NullableNumber }),
    createdAt: Timestamp,
    startedAt: NullableTimestamp,
    completedAt: NullableTimestamp,
  },
  { title: 'ExperimentSummary' },
)

export const ExperimentSummaries = closed(
  {
    data: Type.Array(ExperimentSummary),
    nextCursor: NullableString,
    splits: Type.Array(
      closed(
        {
          datasetId: Id,
          name: Type.String(),
          testItems: Count,
          openings: Count,
          earlierOpenings: described(Count, 'Of the test splits before this one.'),
        },
        { title: 'ExperimentTestSplit' },
      ),
      { description: 'The test splits of the datasets on this page, and how often each has decided.' },
    ),
  },
  { title: 'ExperimentSummaries' },
)

export type ExperimentSummaries = Static<typeof ExperimentSummaries>
