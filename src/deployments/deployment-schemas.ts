import { Type } from 'typebox'
import { Comparison } from '../comparisons/comparison-schemas.ts'
import {
  Count,
  closed,
  Id,
  Name,
  NullableInteger,
  NullableInterval,
  NullableNumber,
  NullableString,
  nullable,
  queryId,
  queryText,
  Timestamp,
} from '../http/schemas.ts'
import { Evidence, LabelGate, NewLabelGate, VersionNumber } from '../prompts/evidence-schemas.ts'
import { pageParameters } from '../prompts/prompt-pages.ts'
import { LabelName, MinRole, PromptLabel } from '../prompts/prompt-schemas.ts'

export const ProtectLabelBody = closed({
  minRole: MinRole,
  gate: Type.Optional(
    nullable(NewLabelGate, { description: 'Null: no verdict is needed. Without it, the gate stays' }),
  ),
})

const VersionText = Type.String({ pattern: '^[1-9][0-9]{0,8}$', valueSchema: VersionNumber })

export const CheckQuery = closed({
  version: VersionText,
  weight: queryText({ type: 'integer', minimum: 0, maximum: 100, default: 100 }),
  decisionId: queryId('The decision to rest the move on.'),
  baselineRunId: queryId('With `candidateRunId`: the comparison to rest the move on.'),
  candidateRunId: queryId('With `baselineRunId`: the comparison to rest the move on.'),
})

const CONDITIONS = ['role', 'version', 'compared', 'unchanged', 'recent', 'notWorse'] as const

const Condition = closed(
  {
    key: Type.Enum(CONDITIONS, {
      type: 'string',
      description:
        'role: of the caller; version: it exists; compared: with what is served, on the dataset of the gate, items unchanged since; unchanged: the items; recent: the evaluations; notWorse: by more than the margin. The last four only if a verdict is needed.',
    }),
    met: Type.Boolean(),
    summary: Type.String(),
  },
  { title: 'DeploymentCondition' },
)

/** The traces of production in whole days, divided by their number. */
const Traffic = closed(
  { tracesPerDay: NullableNumber, days: Count, traces: Count, summary: Type.String() },
  { title: 'LabelTraffic' },
)

/** `detectable`: which loss of the metric is found in 80 of 100 attempts, if all traces are scored. */
const ShareOfTraffic = closed(
  {
    weight: Count,
    tracesPerDay: Type.Number(),
    othersPerDay: Type.Number(),
    detectable: Type.Array(closed({ days: Count, difference: Type.Number() })),
    /** The days after which a loss of the margin shows; null if not within a year. */
    daysForMargin: NullableInteger,
    summary: Type.String(),
  },
  { title: 'ShareOfTraffic' },
)

const ItemsNeeded = closed(
  {
    /** If the version is as good as what is served, to pass in 80 of 100 attempts. */
    ifEqual: NullableInteger,
    /** If the difference is what was measured. */
    ifAsMeasured: NullableInteger,
    /** The items of the dataset. */
    available: Count,
    summary: Type.String(),
  },
  { title: 'ItemsNeeded' },
)

const RetiredModel = closed(
  {
    /** The name of the connection. */
    provider: Type.String(),
    model: Type.String(),
    on: Type.String({ description: 'The day on which it ends, in UTC: 2026-12-11' }),
    /** Negative from the day after. */
    daysLeft: Type.Integer(),
    summary: Type.String(),
  },
  { title: 'RetiredModel' },
)

export const DeploymentCheck = closed(
  {
    label: LabelName,
    version: VersionNumber,
    weight: Count,
    /** The label as it is: send its `change` as `ifChange`. Null before its first change. */
    current: nullable(PromptLabel),
    change: Count,
    /** The version of the largest weight, with which the version is compared; null if the label serves nothing. */
    baseline: NullableInteger,
    gate: nullable(LabelGate),
    /** False without a gate, and if the version gets no more weight than it has. */
    needsVerdict: Type.Boolean(),
    /** Whether all conditions are met. */
    allowed: Type.Boolean(),
    /** What moving the label would be rejected with. */
    error: NullableString,
    conditions: Type.Array(Condition),
    /** What the move would rest on, also if it does not pass. */
    verdict: nullable(Evidence),
    /** The other metrics of that comparison. */
    metrics: Comparison.properties.metrics,
    warnings: Type.Array(Type.String()),
    traffic: Traffic,
    /** What the share of the version can show, and when; null if it is not known. */
    share: nullable(ShareOfTraffic),
    /** What would open the gate; null unless a verdict is needed and missing. */
    itemsNeeded: nullable(ItemsNeeded),
    /** The versions to compare by `GET …/diff`. */
    diff: nullable(closed({ from: VersionNumber, to: VersionNumber })),
    /** The model of the version, if its connection says that it ends; no condition. */
    retirement: nullable(RetiredModel),
  },
  { title: 'DeploymentCheck' },
)

export const ResultsQuery = closed({
  datasetId: Id,
  metric: Type.Optional(Name),
  ...pageParameters,
})

/** Of the items that both evaluations judged. */
const ItemDifferences = closed(
  { version: VersionNumber, edited: Count, added: Count, removed: Count, summary: Type.String() },
  { title: 'DatasetChangesBetween' },
)

const VersionResult = closed(
  {
    version: VersionNumber,
    runId: Id,
    runName: NullableString,
    evaluationId: Id,
    evaluatedAt: Timestamp,
    mean: NullableNumber,
    ci: NullableInterval,
    /** The number of values. */
    n: Count,
    items: Count,
    /** Of the traces of the run: the mean of the known costs, and the median of the durations. */
    cost: closed({ meanUsd: NullableNumber, n: Count }),
    duration: closed({ medianMs: NullableInteger, n: Count }),
    /** What is different in the dataset from the evaluation of the version in the next row; null if nothing is. */
    changed: nullable(ItemDifferences),
  },
  { title: 'VersionResult' },
)

export const VersionResults = closed(
  {
    dataset: closed({ id: Id, name: Type.String() }),
    metric: NullableString,
    /** All that versions were evaluated with on this dataset. */
    metrics: Type.Array(Type.String()),
    scale: NullableInterval,
    higherIsBetter: Type.Boolean(),
    /** Newest version first; only those that have an evaluated run. */
    data: Type.Array(VersionResult),
    nextCursor: NullableString,
  },
  { title: 'VersionResults' },
)
