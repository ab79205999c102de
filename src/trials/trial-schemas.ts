import { type Static, Type } from 'typebox'
import { SPLITS } from '../datasets/splits/split.ts'
import {
  Count,
  closed,
  described,
  Id,
  NullableId,
  NullableInteger,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  orNull,
  Timestamp,
} from '../http/schemas.ts'
import { AnyObject, TrialTarget } from './start-trial-schemas.ts'

const TRIAL_STATUSES = ['pending', 'running', 'completed', 'failed'] as const
const TRIAL_ENDS = ['done', 'decided', 'futile', 'budget', 'time', 'canceled'] as const

const Status = Type.Enum(TRIAL_STATUSES, { type: 'string' })
const EndedBy = orNull(Type.Enum(TRIAL_ENDS, { type: 'string' }))
export const TrialParams = closed({ componentId: Id, trialId: Id })

export const Trial = closed(
  {
    id: Id,
    name: NullableString,
    status: Status,
    endedBy: EndedBy,
    datasetId: Id,
    calls: Count,
    createdAt: Timestamp,
  },
  { title: 'Trial' },
)

export const AcceptedTrial = closed(
  {
    id: Id,
    name: NullableString,
    status: Status,
    runs: Type.Array(closed({ variant: Type.String(), runId: Id })),
    resumed: described(Type.Boolean(), 'Whether the trial was there already.'),
  },
  { title: 'AcceptedTrial' },
)

const counts = { total: Count, done: Count, failed: Count, skipped: Count }

const NullableInterval = orNull(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }))

const TrialComparison = closed(
  {
    verdict: Type.String(),
    summary: Type.String(),
    difference: described(NullableNumber, 'From the baseline, of the metric of the ranking, with its interval.'),
    ci: NullableInterval,
  },
  { title: 'TrialComparison' },
)

const TrialQuality = closed(
  {
    mean: Type.Number(),
    ci: NullableInterval,
    items: described(Count, 'Those that all compared variants have.'),
    costUsd: described(NullableNumber, 'Of an item; null if it is not known of at least 90 % of the items.'),
  },
  { title: 'TrialQuality' },
)

const TrialVariant = closed(
  {
    name: Type.String(),
    target: TrialTarget,
    runId: Id,
    evaluationId: NullableId,
    ...counts,
    costUsd: Type.Number(),
    judgesUsd: described(Type.Number(), 'Of the judges of its evaluations so far; not part of `costUsd`.'),
    durationMs: described(
      nullable(closed({ median: Type.Number(), ci: NullableInterval })),
      'Of the calls that are done; null while the trial runs.',
    ),
    endedBy: described(
      orNull(Type.Enum(['decided', 'futile'] as const, { type: 'string' })),
      'What a look has ended it by.',
    ),
    reason: described(NullableString, 'Why the variant gets no more calls; null if it does.'),
    quality: described(
      nullable(TrialQuality),
      'The metric of the ranking on the items that all compared variants have. Null before the end, and without a ranking.',
    ),
    comparison: described(
      nullable(TrialComparison),
      'With the baseline, as one family of all variants. Null for the baseline, and without evaluations.',
    ),
  },
  { title: 'TrialVariant' },
)

const Ranking = closed(
  {
    best: described(
      Type.String(),
      'The candidate with the greatest gain; the summary says whether it is shown to be the best.',
    ),
    metric: Type.String(),
    higherIsBetter: Type.Boolean(),
    summary: Type.String(),
    expectedOnNew: described(
      nullable(closed({ difference: Type.Number(), ci: NullableInterval })),
      'The difference of the best candidate from the baseline on new items, which is less than on those that chose it. Null with fewer than ten items or groups.',
    ),
  },
  { title: 'TrialRanking' },
)

const Cheapest = closed({ variant: NullableString, summary: Type.String() }, { title: 'TrialCheapest' })

const FrontVariant = closed(
  {
    variant: Type.String(),
    quality: closed({ mean: Type.Number(), ci: NullableInterval }),
    costUsd: described(NullableNumber, 'Of an item; null if it is not known of at least 90 % of the items.'),
    durationMs: described(NullableNumber, 'The median of the calls that are done.'),
  },
  { title: 'TrialFrontVariant' },
)

const TrialLook = closed(
  {
    items: Count,
    takenAt: Timestamp,
    variants: Type.Array(
      closed(
        {
          name: Type.String(),
          evidence: Type.Number(),
          threshold: Type.Number(),
          difference: NullableNumber,
          ci: NullableInterval,
        },
        { title: 'TrialLookVariant' },
      ),
      { description: 'The candidates that had not ended before.' },
    ),
    leader: described(
      nullable(
        closed(
          {
            name: Type.String(),
            difference: Type.Number(),
            expectedOnNew: nullable(closed({ difference: Type.Number(), ci: NullableInterval })),
          },
          { title: 'TrialLookLeader' },
        ),
      ),
      'The candidate that is ahead of the baseline by most, which decides nothing, and what to expect of it on new items: the best of several is partly the luckiest. Null if none is ahead; `expectedOnNew` is null with fewer than ten items.',
    ),
  },
  { title: 'TrialLook' },
)

const TrialLooks = closed(
  {
    rule: Type.Enum(['sequential', 'planned'] as const, {
      type: 'string',
      description:
        '`sequential`: a candidate is decided when its evidence, an e-value, reaches the threshold. `planned`: when its evidence, a p, is below it.',
    }),
    metric: Type.String(),
    plannedItems: Type.Array(Count, { description: 'After so many items there is a look.' }),
    taken: Type.Array(TrialLook),
  },
  { title: 'TrialLooks' },
)

const TrialPlan = closed(
  {
    split: orNull(Type.Enum(SPLITS, { type: 'string' })),
    sample: nullable(closed({ n: Count, seed: Count })),
    variables: AnyObject,
    baseline: Type.String(),
    repetitions: Count,
    concurrency: Count,
    maxMinutes: Count,
    evaluation: orNull(AnyObject),
    stopEarly: Type.Boolean(),
    plannedLooks: NullableInteger,
  },
  { title: 'TrialPlan' },
)

const TrialWaiting = closed(
  {
    reason: Type.Enum(['turn', 'retry', 'worker', 'evaluations'] as const, {
      type: 'string',
      description:
        '`turn`: other jobs come first. `retry`: calls are sent again after an error, such as a provider that asks to slow down. `worker`: no worker has a call of the queue. `evaluations`: all calls have ended, and the answers are being evaluated.',
    }),
    variant: described(NullableString, 'Null if it is true of all variants.'),
    calls: described(Count, 'Those that have not ended.'),
    until: described(NullableTimestamp, 'When the next call is sent, if that is known.'),
    summary: Type.String(),
  },
  { title: 'TrialWaiting' },
)

export const TrialDetail = closed(
  {
    id: Id,
    name: NullableString,
    aiComponentId: Id,
    datasetId: Id,
    status: Status,
    endedBy: EndedBy,
    error: NullableString,
    canceledBy: described(NullableId, 'The user who has canceled the trial.'),
    waitsBehind: described(
      Count,
      'Of a trial that is pending: the trials of the application that were started before and have not ended.',
    ),
    waiting: described(
      Type.Array(TrialWaiting),
      'Why no call of the trial, or of a variant, runs at the moment. Empty while calls run, and after the end.',
    ),
    progress: closed({ ...counts }),
    variants: Type.Array(TrialVariant),
    cost: closed({
      spentUsd: Type.Number(),
      maxUsd: NullableNumber,
      judgesUsd: described(
        Type.Number(),
        'Of the judges of all evaluations so far. Not part of the others, and not limited by `maxCostUsd`.',
      ),
      expectedAtEndUsd: described(NullableNumber, 'From the calls so far; null before the first has ended.'),
    }),
    ranking: nullable(Ranking),
    cheapest: described(
      nullable(Cheapest),
      'The cheapest candidate that is not worse than the baseline by more than the margin of the gate, corrected for all candidates. Null without a margin.',
    ),
    front: described(
      orNull(Type.Array(FrontVariant)),
      'The variants that no other one beats in quality, cost and duration, in the order of the trial with the baseline first.',
    ),
    looks: described(nullable(TrialLooks), 'Null if the trial looks at its results only at its end.'),
    plan: TrialPlan,
    endsAt: NullableTimestamp,
    startedAt: NullableTimestamp,
    completedAt: NullableTimestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'TrialDetail' },
)

export type TrialDetail = Static<typeof TrialDetail>
