import { Type } from 'typebox'
import { Comparison, RunPrompts } from '../comparisons/comparison-schemas.ts'
import { NullableSplit, SplitName } from '../datasets/splits/split-schemas.ts'
import {
  Count,
  closed,
  described,
  Id,
  Metadata,
  Name,
  NullableId,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  queryId,
  Timestamp,
} from '../http/schemas.ts'
import { keysetQuery } from '../overviews/keyset-page.ts'

const NOTE_LENGTH_MAX = 5_000
const LINK_DAYS_MAX = 90

const DECISIONS = ['release', 'hold', 'undecided'] as const
const DecisionWord = Type.Enum(DECISIONS, { type: 'string' })
const compared = Comparison.properties

const decisionFields = {
  id: Id,
  baseline: closed({ runId: Id, name: NullableString }),
  candidate: closed({ runId: Id, name: NullableString }),
  decision: DecisionWord,
  note: Type.String(),
  metric: NullableString,
  margin: NullableNumber,
  split: NullableSplit,
  verdict: compared.verdict,
  summary: Type.String(),
  author: closed({ userId: Id, name: NullableString }),
  supersededBy: described(NullableId, 'The next decision on the same two runs; null for the newest.'),
  createdAt: Timestamp,
}

const Decision = closed(decisionFields, { title: 'Decision' })
export const Decisions = closed({ data: Type.Array(Decision), nextCursor: NullableString }, { title: 'Decisions' })

const DecidedSide = closed({ ...compared.baseline.properties, metadata: Metadata, prompts: Type.Optional(RunPrompts) })
const NullableExcerpt = nullable(closed({ text: Type.String(), isCut: Type.Boolean() }))

/** The comparison as it was when the decision was recorded. */
const DecidedComparison = closed(
  {
    component: Type.String(),
    dataset: Type.String(),
    baseline: DecidedSide,
    candidate: DecidedSide,
    pairs: Count,
    onlyBaseline: Count,
    onlyCandidate: Count,
    failed: Count,
    groupBy: NullableString,
    split: NullableSplit,
    metric: NullableString,
    margin: NullableNumber,
    testSet: compared.testSet,
    verdict: compared.verdict,
    summary: Type.String(),
    metrics: compared.metrics,
    labels: compared.labels,
    notCompared: compared.notCompared,
    itemChanges: compared.itemChanges,
    looks: Count,
    looking: compared.looking,
    warnings: compared.warnings,
    /** `count` stops at a limit, and `data` at a lower one. */
    worseItems: closed({
      count: Count,
      isCountCut: Type.Boolean(),
      data: Type.Array(
        closed({
          itemId: NullableId,
          input: NullableExcerpt,
          expected: NullableExcerpt,
          baselineOutput: NullableExcerpt,
          candidateOutput: NullableExcerpt,
          scores: compared.data.items.properties.scores,
        }),
      ),
    }),
    serverVersion: Type.String(),
    comparedAt: Timestamp,
  },
  { title: 'DecidedComparison' },
)

export const DecisionDetail = closed({ ...decisionFields, comparison: DecidedComparison }, { title: 'DecisionDetail' })

export const RecordDecision = closed(
  {
    baselineRunId: Id,
    candidateRunId: Id,
    decision: DecisionWord,
    note: Type.Optional(Type.String({ maxLength: NOTE_LENGTH_MAX })),
    metric: Type.Optional(Name),
    margin: Type.Optional(Type.Number({ minimum: 0 })),
    split: Type.Optional(SplitName),
  },
  { title: 'RecordDecision' },
)

export const DecisionParams = closed({ componentId: Id, decisionId: Id })
export const DecisionsQuery = closed({
  ...keysetQuery,
  baseline_run_id: queryId('Only decisions on this run.'),
  candidate_run_id: queryId('Only decisions on this run.'),
})

const linkFields = {
  id: Id,
  author: closed({ userId: Id, name: NullableString }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  revokedAt: NullableTimestamp,
  /** Null if it has not been opened yet. */
  openedAt: NullableTimestamp,
  openedCount: Count,
}

export const SharedLinks = closed({ data: Type.Array(closed(linkFields, { title: 'SharedLink' })) })
export const CreatedLink = closed(
  { ...linkFields, url: Type.String({ description: 'Returned only here: the server stores a hash of it.' }) },
  { title: 'CreatedSharedLink' },
)
export const CreateLink = closed({ expiresInDays: Type.Integer({ minimum: 1, maximum: LINK_DAYS_MAX }) })
export const LinkParams = closed({ componentId: Id, decisionId: Id, linkId: Id })

/** `activeLinks` are neither expired nor revoked; they work only while links are allowed. */
export const Sharing = closed({ linksAllowed: Type.Boolean(), activeLinks: Count }, { title: 'Sharing' })
export const ChangeSharing = closed({ linksAllowed: Type.Boolean() })
