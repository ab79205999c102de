import { Type } from 'typebox'
import { NullableSplit, SplitName, TestSet } from '../datasets/splits/split-schemas.ts'
import { nameListQuery } from '../http/query-parameters.ts'
import {
  Count,
  closed,
  Id,
  Name,
  NullableBoolean,
  NullableId,
  NullableInteger,
  NullableInterval,
  NullableNumber,
  NullableString,
  nullable,
  ofTypes,
  queryText,
  Timestamp,
} from '../http/schemas.ts'
import { ROW_FILTERS } from './rows/comparison-rows.ts'
import { LOOK_RULES } from './verdicts/look-rule.ts'
import { VERDICTS } from './verdicts/verdict.ts'

export const Verdict = oneOf(...VERDICTS)
const NumberOrText = ofTypes(['number', 'string', 'null'])

const ComparedSide = closed({ runId: Id, name: NullableString, traceCount: Count, evaluationId: NullableId })
const Estimate = closed({ mean: NullableNumber, ci: NullableInterval, method: Type.String() })
const Test = closed({ method: Type.String(), statistic: Type.Number(), p: Type.Number(), pAdjusted: Type.Number() })
const Flips = closed({
  toFail: Type.Array(Id),
  toFailCount: Count,
  toPass: Type.Array(Id),
  toPassCount: Count,
})
const CasesFor = closed({ difference: Type.Number(), cases: Count })
const Power = closed({ detectableDifference: NullableNumber, casesFor: nullable(CasesFor) })

/** Missing items count at the worst value at the lower end of the interval of their metric. */
const MissingItems = closed(
  {
    items: Count,
    incomplete: Count,
    baseline: Count,
    candidate: Count,
    failed: Count,
    neither: Count,
    summary: NullableString,
  },
  { title: 'MissingItems' },
)

/** The difference that people would see, in the unit of the ratings. */
const CorrectedDifference = closed(
  {
    difference: NullableNumber,
    ci: NullableInterval,
    marginCi: NullableInterval,
    scale: NullableInterval,
    labels: Count,
    excluded: Count,
    judgeWeight: NullableNumber,
    verdict: Verdict,
    summary: Type.String(),
    method: Type.String(),
  },
  { title: 'CorrectedDifference' },
)

const ComparedMetric = closed(
  {
    name: Type.String(),
    kind: oneOf('binary', 'numeric'),
    role: oneOf('quality', 'reported'),
    higherIsBetter: Type.Boolean(),
    scale: NullableInterval,
    /** The evaluations that it is read from; null for metrics of traces and for ratings. A preference has one. */
    evaluations: nullable(closed({ baseline: NullableId, candidate: NullableId })),
    n: Count,
    items: Count,
    values: closed({ baseline: Count, candidate: Count }),
    groups: NullableInteger,
    designEffect: NullableNumber,
    missing: Count,
    failed: Count,
    baseline: Estimate,
    candidate: Estimate,
    difference: NullableNumber,
    ci: NullableInterval,
    confidence: Type.Number(),
    method: Type.String(),
    ratio: NullableNumber,
    ratioCi: NullableInterval,
    totalRatio: NullableNumber,
    test: nullable(Test),
    correction: NullableString,
    alone: nullable(closed({ ci: NullableInterval, p: Type.Number() })),
    marginCi: NullableInterval,
    wins: Count,
    ties: Count,
    losses: Count,
    flips: nullable(Flips),
    orderFlips: nullable(closed({ count: Count, n: Count })),
    verdict: Verdict,
    notWorseThanMargin: NullableBoolean,
    summary: Type.String(),
    warning: NullableString,
    power: Power,
    measuredAs: NullableString,
    missingItems: MissingItems,
    corrected: nullable(CorrectedDifference),
  },
  { title: 'ComparedMetric' },
)

const ComparedLabels = closed(
  {
    name: Type.String(),
    n: Count,
    missing: Count,
    failed: Count,
    same: Estimate,
    changes: Type.Array(closed({ from: Type.String(), to: Type.String(), count: Count, items: Type.Array(Id) })),
  },
  { title: 'ComparedLabels' },
)

/** `evaluate`: the run to evaluate, and the evaluation of the other run whose config makes the metric comparable. */
const NotCompared = closed(
  {
    name: Type.String(),
    reason: Type.String(),
    evaluate: nullable(closed({ runId: Id, evaluationId: Id })),
  },
  { title: 'NotCompared' },
)

const Preview = closed({ text: Type.String(), isCut: Type.Boolean() }, { title: 'ShortenedText' })
const NullablePreview = nullable(Preview)
export const SideName = oneOf('baseline', 'candidate')

/**
 * With `include=texts`. A text is cut at 4,000 characters, or at none with `item`. `number` is the position of the item in
 * its dataset, `shownLeft` the answer that the caller sees on the left if the two are compared blindly.
 */
const ComparisonTexts = closed(
  {
    repetition: NullableInteger,
    number: NullableInteger,
    shownLeft: nullable(SideName),
    split: NullableSplit,
    input: NullablePreview,
    expected: NullablePreview,
    baseline: NullablePreview,
    candidate: NullablePreview,
    results: Type.Array(
      closed({
        run: SideName,
        name: Type.String(),
        repetition: Type.Integer({ minimum: 1 }),
        passed: NullableBoolean,
        reason: NullablePreview,
        error: NullablePreview,
      }),
    ),
    ratings: Type.Array(
      closed({
        run: SideName,
        userId: Id,
        rating: NullableString,
        comment: NullablePreview,
        createdAt: Timestamp,
      }),
    ),
  },
  { title: 'ComparisonTexts' },
)

const ComparisonRow = closed(
  {
    itemId: NullableId,
    baselineTraceId: NullableString,
    candidateTraceId: NullableString,
    failed: Type.Array(Type.String()),
    scores: Type.Array(
      closed({
        name: Type.String(),
        repetition: Type.Integer({ minimum: 1 }),
        baseline: NumberOrText,
        candidate: NumberOrText,
        delta: NullableNumber,
      }),
    ),
    texts: Type.Optional(ComparisonTexts),
  },
  { title: 'ComparisonRow' },
)

const ChangedItems = closed({ count: Count, items: Type.Array(Id) })

/** Items that are not the same in both evaluations: they are not compared. Lists have up to 100 items. */
const ItemChanges = closed(
  {
    changed: ChangedItems,
    removed: ChangedItems,
    added: ChangedItems,
    unverified: Count,
    duplicates: Count,
    summary: NullableString,
  },
  { title: 'ItemChanges' },
)

/** Which rule for repeated looks decides, at which level. A plan is that of the first look. */
const Looking = closed(
  {
    rule: oneOf(...LOOK_RULES),
    level: Type.Number(),
    items: Count,
    look: NullableInteger,
    plannedLooks: NullableInteger,
    plannedItems: NullableInteger,
    summary: Type.String(),
  },
  { title: 'Looking' },
)

/** How many rows each filter selects. Each row is counted once. */
const RowCounts = closed(
  {
    regressed: Count,
    improved: Count,
    tie: Count,
    only_baseline: Count,
    only_candidate: Count,
    failed: Count,
    not_measured: Count,
  },
  { title: 'RowCounts' },
)

export const RunPrompts = Type.Array(closed({ name: Type.String(), traces: Count }, { title: 'RunPrompt' }), {
  description: 'The prompts that the traces of the run used, such as `answer@12`, the most used first; at most 50.',
})

/**
 * `data` is a page of rows, regressions first. All other fields refer to all rows. `counts` is there if the request has
 * `filter`, `metric`, `item` or `include`.
 */
export const Comparison = closed(
  {
    baseline: ComparedSide,
    candidate: ComparedSide,
    prompts: closed({ baseline: RunPrompts, candidate: RunPrompts }),
    pairs: Count,
    onlyBaseline: Count,
    onlyCandidate: Count,
    failed: Count,
    groupBy: NullableString,
    split: NullableSplit,
    margin: NullableNumber,
    testSet: nullable(TestSet),
    verdict: Verdict,
    summary: Type.String(),
    metrics: Type.Array(ComparedMetric),
    labels: Type.Array(ComparedLabels),
    notCompared: Type.Array(NotCompared),
    itemChanges: ItemChanges,
    looks: Count,
    looking: Looking,
    warnings: Type.Array(Type.String()),
    counts: Type.Optional(RowCounts),
    total: Count,
    data: Type.Array(ComparisonRow),
  },
  { title: 'Comparison' },
)

const FamilyMember = closed(
  {
    baseline: ComparedSide,
    candidate: ComparedSide,
    pairs: Count,
    onlyBaseline: Count,
    onlyCandidate: Count,
    looking: Looking,
    verdict: Verdict,
    summary: Type.String(),
    metrics: Type.Array(ComparedMetric),
    notCompared: Type.Array(NotCompared),
    itemChanges: ItemChanges,
    testSet: nullable(TestSet),
  },
  { title: 'FamilyMember' },
)

/** `expectedDifference` is measured on items that did not choose the candidate. */
const ChosenCandidate = closed(
  {
    runId: Id,
    name: NullableString,
    metric: Type.String(),
    chosenFrom: Count,
    items: Count,
    difference: Type.Number(),
    expectedDifference: Type.Number(),
    ci: NullableInterval,
    verdict: Verdict,
    summary: Type.String(),
  },
  { title: 'ChosenCandidate' },
)

/** Several candidates compared with one baseline. Tests are corrected for all candidates and quality metrics together. */
export const ComparisonFamily = closed(
  { summary: Type.String(), chosen: nullable(ChosenCandidate), candidates: Type.Array(FamilyMember) },
  { title: 'ComparisonFamily' },
)

const CANDIDATES_MAX = 49

export const CompareCandidates = closed(
  {
    baseline: Id,
    candidates: Type.Array(Id, { minItems: 1, maxItems: CANDIDATES_MAX }),
    metric: Type.Optional(Name),
    margin: Type.Optional(Type.Number({ minimum: 0 })),
    split: Type.Optional(SplitName),
  },
  { title: 'CompareCandidates' },
)

export const ComparisonQuery = closed({
  baseline: Id,
  candidate: Id,
  margin: queryText({ type: 'number', minimum: 0 }),
  split: Type.Optional(SplitName),
  sequential: queryText({ type: 'boolean' }),
  filter: Type.Optional(oneOf(...ROW_FILTERS)),
  metric: Type.Optional(Name),
  item: queryText({ type: 'string', format: 'uuid' }),
  include: nameListQuery(['texts'], {
    isEmptyAllowed: false,
    description: 'texts: each row also has its texts, the reasons of judges and the ratings of people.',
  }),
})

export const ComparisonReportQuery = closed({
  baseline: Id,
  candidate: Id,
  metric: Type.Optional(Name),
  margin: queryText({ type: 'number', minimum: 0 }),
  split: Type.Optional(SplitName),
})

export function oneOf<const Word extends string>(...words: Word[]) {
  return Type.Enum(words, { type: 'string' })
}
