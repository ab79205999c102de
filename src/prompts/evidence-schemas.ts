/** What a label needs before it moves, and what its changes rested on. */
import { type Static, Type } from 'typebox'
import {
  Count,
  closed,
  Id,
  Name,
  NullableId,
  NullableInteger,
  NullableInterval,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  Timestamp,
} from '../http/schemas.ts'

const AGE_DAYS_MAX = 365
export const AGE_DAYS_DEFAULT = 14

export const VersionNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

const margin = Type.Number({
  minimum: 0,
  maximum: 1_000_000,
  description:
    'The loss that is accepted, in the unit of the metric; of durations, costs and tokens a ratio such as 1.1',
})
const maxAgeDays = Type.Integer({
  minimum: 1,
  maximum: AGE_DAYS_MAX,
  description: 'The greatest age of the evaluations that are compared',
})

export const LabelGate = closed({ datasetId: Id, metric: Name, margin, maxAgeDays }, { title: 'PromptLabelGate' })
export type LabelGate = Static<typeof LabelGate>

export const NewLabelGate = closed(
  {
    datasetId: Id,
    metric: Name,
    margin,
    maxAgeDays: Type.Optional(Type.Unsafe<number>({ ...maxAgeDays, default: AGE_DAYS_DEFAULT })),
  },
  { title: 'NewPromptLabelGate' },
)

/** Which comparison to rest a change on: that of a decision, or that of two runs. */
export const GivenEvidence = Type.Union(
  [closed({ decisionId: Id }), closed({ comparison: closed({ baselineRunId: Id, candidateRunId: Id }) })],
  {
    title: 'PromptLabelEvidence',
    description: 'A decision or a comparison of these versions. Default: the newest evaluated run of each version',
  },
)
export type GivenEvidence = Static<typeof GivenEvidence>

const VERDICTS = ['improved', 'regressed', 'equivalent', 'noClearDifference', 'tooFewCases'] as const
const LOOK_RULES = ['single', 'planned', 'sequential'] as const

const EvidenceSide = closed({
  version: VersionNumber,
  runId: Id,
  runName: NullableString,
  evaluationId: NullableId,
  /** When its evaluation was completed. A judge that compares two answers has one evaluation for both. */
  evaluatedAt: NullableTimestamp,
  mean: NullableNumber,
  ci: NullableInterval,
})

/**
 * A comparison of two versions, as it was when the label moved. It is a copy: neither retention nor the deletion of runs, evaluations,
 * decisions or datasets changes it. What is derived from ratings is null for readers who must rate one of the runs blindly.
 */
export const Evidence = closed(
  {
    decisionId: NullableId,
    dataset: closed({ id: Id, name: Type.String() }),
    metric: Type.String(),
    margin: Type.Number(),
    baseline: EvidenceSide,
    candidate: EvidenceSide,
    verdict: nullable(Type.Enum(VERDICTS, { type: 'string' })),
    /** Whether the metric was shown to be not worse by more than the margin. */
    passed: Type.Boolean(),
    summary: NullableString,
    items: Count,
    /** The items whose mean is better, the same and worse than with the baseline; null in changes that older servers stored. */
    wins: NullableInteger,
    ties: NullableInteger,
    losses: NullableInteger,
    difference: NullableNumber,
    ci: NullableInterval,
    /** The interval that the margin is compared with. Of a ratio, that of the ratio. */
    marginCi: NullableInterval,
    ratio: NullableNumber,
    ratioCi: NullableInterval,
    confidence: NullableNumber,
    p: NullableNumber,
    /** How often the two runs had been compared with different results, and the rule for it. */
    looks: Count,
    rule: Type.Enum(LOOK_RULES, { type: 'string' }),
    warnings: Type.Array(Type.String()),
    /** Whether the metric is derived from the ratings of people. */
    isFromRatings: Type.Boolean(),
    comparedAt: Timestamp,
  },
  { title: 'DeploymentEvidence' },
)
export type Evidence = Static<typeof Evidence>
