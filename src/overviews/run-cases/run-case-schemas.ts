import { Type } from 'typebox'
import {
  Count,
  closed,
  described,
  NullableBoolean,
  NullableId,
  NullableInteger,
  NullableNumber,
  NullableString,
  nullable,
  queryText,
} from '../../http/schemas.ts'
import { SCORE_STATES } from '../../scores/list-scores.ts'
import { keysetQuery } from '../keyset-page.ts'
import { EvaluatedMetrics } from '../overview-schemas.ts'
import { CASE_FILTERS, CASE_SORTS } from './group-cases.ts'

/** The traces of a row that are returned; the others are counted. */
export const CASES_PER_ROW_MAX = 20

export const RunCasesQuery = closed({
  ...keysetQuery,
  q: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'A query of the query language. Returns the rows with a trace that matches.',
    }),
  ),
  filter: queryText({
    type: 'string',
    enum: CASE_FILTERS,
    description:
      'failed: with a failed trace; rated, unrated: by a rating that the caller may see; passed, not_passed, not_measured: by `metric`; not_arrived: with a trace that has not arrived; without_item: a trace that answers no item.',
  }),
  metric: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'The metric of `filter` and `sort`. Default, also for an unknown one: the headline of the evaluation.',
    }),
  ),
  sort: queryText({
    type: 'string',
    enum: CASE_SORTS,
    default: 'item',
    description:
      'A minus means descending. Rows without a value come last. `score` is that of `metric`; an error without a score is worse than any score.',
  }),
})

const CaseScore = closed(
  {
    evaluator: Type.String(),
    state: Type.Enum(SCORE_STATES, { type: 'string' }),
    score: NullableNumber,
    label: NullableString,
    passed: NullableBoolean,
    repetitions: Count,
    reason: described(NullableString, 'The beginning of the reason for the score, or of the error if there is none.'),
  },
  { title: 'RunCaseScore' },
)

const RunCase = closed(
  {
    traceId: Type.String({ description: 'The id of the sender, or the reference that was linked.' }),
    traceDbId: described(NullableId, 'Null if the trace has not arrived.'),
    status: NullableString,
    durationMs: NullableInteger,
    costUsd: NullableNumber,
    totalTokens: NullableInteger,
    output: NullableString,
    ratings: Type.Array(closed({ userId: Type.String(), rating: Type.String() }), {
      description: 'The ratings in this run that the caller may see.',
    }),
    scores: Type.Array(CaseScore, { description: 'In the newest completed evaluation of the run.' }),
  },
  { title: 'RunCase' },
)

const Spread = closed(
  {
    evaluator: Type.String(),
    n: Count,
    mean: NullableNumber,
    min: NullableNumber,
    max: NullableNumber,
    passed: described(NullableInteger, 'How many of the `n` scores passed; null if the evaluator has no pass mark.'),
  },
  { title: 'RepetitionSpread' },
)

const RunCaseRow = closed(
  {
    id: Type.String({ description: 'The id of the item; for a trace without an item, the id of the sender.' }),
    itemId: NullableId,
    input: NullableString,
    expected: NullableString,
    repetitions: Count,
    cases: Type.Array(RunCase, {
      description: `The traces that answer the item, oldest link first, at most ${CASES_PER_ROW_MAX}.`,
    }),
    spread: Type.Array(Spread, { description: 'The scores of all repetitions, for each evaluator.' }),
  },
  { title: 'RunCaseRow' },
)

const FilterCounts = closed(Object.fromEntries(['all', ...CASE_FILTERS].map((name) => [name, Count])), {
  title: 'RunCaseCounts',
})

export const RunCases = closed(
  {
    data: Type.Array(RunCaseRow),
    nextCursor: NullableString,
    total: Type.Integer({ minimum: 0, description: 'The number of rows: items, and traces without an item.' }),
    traces: Type.Integer({ minimum: 0, description: 'The number of traces in these rows.' }),
    /** Of the rows that match `q`, with any filter. */
    counts: FilterCounts,
    /** The newest completed one of the run. */
    evaluation: nullable(EvaluatedMetrics),
    metric: described(NullableString, 'The metric of `filter` and `sort`.'),
    itemsAreComplete: Type.Boolean({
      description:
        'False if very many traces are not linked to items: they are matched to items by their input when the run is evaluated.',
    }),
  },
  { title: 'RunCases' },
)
