import { Type } from 'typebox'
import { nameListQuery } from '../../http/query-parameters.ts'
import {
  anyObject,
  Count,
  closed,
  NullableBoolean,
  NullableId,
  NullableNumber,
  NullableString,
  nullable,
  orNull,
  queryText,
} from '../../http/schemas.ts'
import { SCORE_STATES } from '../../scores/list-scores.ts'
import { SCORE_FIELDS } from '../evaluation-schemas.ts'
import { ERROR_LENGTH_MAX } from '../score-summary/summarize-scores.ts'
import { CASE_SORTS } from './case-cursor.ts'

export const CASES_DEFAULT = 50
export const CASES_MAX = 100

/** Query parameters are strings. */
export const CaseQuery = closed({
  metric: Type.Optional(
    Type.String({ minLength: 1, description: 'The name of an evaluator: filters and sort apply to its scores.' }),
  ),
  states: nameListQuery(SCORE_STATES, {
    isEmptyAllowed: false,
    description: 'Cases with a score in one of these states, separated by commas.',
  }),
  passed: queryText({ type: 'boolean', description: 'Cases with a score that passed, or one that did not.' }),
  error: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: ERROR_LENGTH_MAX,
      description:
        'Cases without a score for this reason: the `error` of a group of `…/scores/summary?group_by=error`.',
    }),
  ),
  sort: queryText({
    type: 'string',
    enum: [...CASE_SORTS],
    description: 'By the score of `metric`, which is then required. With repetitions, the lowest one counts.',
  }),
  case: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'The id of one case, or of its trace: only this case, with its whole texts and all of its scores.',
    }),
  ),
  limit: queryText({ type: 'integer', minimum: 1, maximum: CASES_MAX, default: CASES_DEFAULT }),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'The `nextCursor` of the page before.' })),
})

const CaseScore = closed(
  {
    ...SCORE_FIELDS,
    details: orNull(anyObject({ additionalProperties: true, description: 'Null in a list of cases.' })),
  },
  { title: 'CaseScore' },
)

const EvaluationCase = closed(
  {
    id: Type.String(),
    itemId: NullableId,
    traceDbId: NullableString,
    /** False if the trace has not arrived, or was deleted. */
    hasTrace: Type.Boolean(),
    input: NullableString,
    output: NullableString,
    expected: NullableString,
    /** The first ones in a list; `scoreCount` counts all. */
    scores: Type.Array(CaseScore),
    scoreCount: Count,
  },
  { title: 'EvaluationCase' },
)

const CaseCounts = closed(
  { total: Count, passed: Count, notPassed: Count, failed: Count, skipped: Count, pending: Count },
  { title: 'CaseCounts' },
)

export const EvaluationCases = closed(
  {
    data: Type.Array(EvaluationCase),
    nextCursor: NullableString,
    /** Of all cases, in the metric if there is one. Null after the first page. */
    counts: nullable(CaseCounts),
  },
  { title: 'EvaluationCases' },
)

const GROUPINGS = ['error', 'value'] as const

export const ScoreSummaryQuery = closed({
  group_by: Type.Enum(GROUPINGS, {
    type: 'string',
    description:
      'error: scores that failed, were skipped or are tried again, by reason. value: all scores, by state, outcome, score and label.',
  }),
})

const ScoreGroup = closed(
  {
    evaluator: Type.String(),
    state: Type.Enum(SCORE_STATES, { type: 'string' }),
    /** The message, or what the messages have in common: ids and numbers are “…”. */
    error: NullableString,
    score: NullableNumber,
    label: NullableString,
    passed: NullableBoolean,
    count: Count,
    example: nullable(closed({ caseId: Type.String(), error: Type.String(), attempts: Count })),
  },
  { title: 'ScoreGroup' },
)

/** `others` counts the scores of groups that are not listed. */
export const ScoreSummary = closed({ data: Type.Array(ScoreGroup), others: Count }, { title: 'ScoreSummary' })
