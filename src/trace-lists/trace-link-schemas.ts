import { Type } from 'typebox'
import {
  Count,
  closed,
  described,
  Id,
  NullableBoolean,
  NullableId,
  NullableInteger,
  NullableNumber,
  NullableString,
  Timestamp,
} from '../http/schemas.ts'
import { TraceSource, tracePromptFields } from '../traces/trace-schemas.ts'
import { ITEMS_MAX, RUNS_MAX, SCORES_MAX } from './trace-link-queries.ts'

const inDataset = { aiComponentId: Id, componentName: Type.String(), datasetId: Id, datasetName: Type.String() }

const Position = (of: string) => described(NullableInteger, `Counted from the oldest. Null if ${of} is large.`)

const TraceRunLink = closed(
  {
    ...inDataset,
    runId: Id,
    runName: NullableString,
    createdAt: Timestamp,
    traceCount: Count,
    caseNumber: Position('the run'),
    itemId: NullableId,
  },
  { title: 'TraceRunLink' },
)

const TraceItemLink = closed(
  { ...inDataset, itemId: Id, itemNumber: Position('the dataset') },
  { title: 'TraceItemLink' },
)

const TraceScoreLink = closed(
  {
    ...inDataset,
    evaluationId: Id,
    evaluationName: NullableString,
    createdAt: Timestamp,
    runId: NullableId,
    runName: NullableString,
    evaluator: Type.String(),
    repetition: Count,
    score: NullableNumber,
    label: NullableString,
    passed: NullableBoolean,
    reason: NullableString,
  },
  { title: 'TraceScoreLink' },
)

const TracePromptLink = closed(
  {
    ...tracePromptFields,
    promptId: described(NullableId, 'The prompt of this name of the component of the trace; null if there is none.'),
    version: described(NullableInteger, 'The number of the version, if the prompt has it.'),
  },
  { title: 'TracePromptLink' },
)

/** Each list has the newest entries first. `createdAt` is that of the run or of the evaluation. */
export const TraceLinks = closed(
  {
    runs: Type.Array(TraceRunLink, { description: `The newest ${RUNS_MAX} runs that the trace is a case of.` }),
    items: Type.Array(TraceItemLink, {
      description: `The newest ${ITEMS_MAX} dataset items that were created from the trace.`,
    }),
    scores: Type.Array(TraceScoreLink, {
      description: `The ${SCORES_MAX} scores of the newest evaluations, without those that would reveal ratings to a rater of a blind run.`,
    }),
    source: TraceSource,
    prompts: Type.Array(TracePromptLink, { description: 'The prompts that its spans name, by name; at most 20.' }),
    hasMore: closed({ runs: Type.Boolean(), items: Type.Boolean(), scores: Type.Boolean() }),
  },
  { title: 'TraceLinks' },
)
