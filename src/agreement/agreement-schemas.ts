import { Type } from 'typebox'
import {
  Count,
  closed,
  NullableInterval,
  NullableNumber,
  NullableString,
  nullable,
  queryText,
} from '../http/schemas.ts'

const Rater = closed({ userId: Type.String(), name: NullableString, count: Count }, { title: 'Rater' })

const RaterPair = closed(
  {
    a: Type.String(),
    b: Type.String(),
    shared: Count,
    kappa: NullableNumber,
    ci: NullableInterval,
    method: Type.String(),
  },
  { title: 'RaterPair' },
)

/** Without estimates below 20 shared traces; the summary then states how many there are. */
const SummarizedRaterPair = closed(
  { ...RaterPair.properties, summary: Type.String() },
  { title: 'SummarizedRaterPair' },
)

/** How often a rater gave a rating. */
const RatingCount = closed({ rating: Type.String(), count: Count })

const CountedRater = closed({ ...Rater.properties, ratings: Type.Array(RatingCount) }, { title: 'CountedRater' })

/** `ratings` counts how often rater `a` gave the rating `a` where rater `b` gave the rating `b`. */
const CountedRaterPair = closed(
  {
    ...RaterPair.properties,
    summary: Type.Optional(Type.String()),
    ratings: Type.Array(closed({ a: Type.String(), b: Type.String(), count: Count })),
  },
  { title: 'CountedRaterPair' },
)

const Alpha = closed(
  {
    value: NullableNumber,
    ci: NullableInterval,
    level: Type.Enum(['nominal', 'ordinal'], { type: 'string' }),
    units: Count,
    method: Type.String(),
  },
  { title: 'Alpha' },
)

const Disagreement = closed(
  {
    traceDbId: Type.String(),
    ratings: Type.Array(closed({ userId: Type.String(), rating: Type.String(), comment: NullableString })),
  },
  { title: 'Disagreement' },
)

/**
 * An evaluator compared with the verdict of the raters. Below 20 shared cases the estimates are null, and the summary states
 * the reason.
 */
const JudgeAgreement = closed(
  {
    evaluator: Type.String(),
    shared: Count,
    kappa: NullableNumber,
    kappaCi: NullableInterval,
    agreement: NullableNumber,
    agreementCi: NullableInterval,
    sensitivity: NullableNumber,
    sensitivityCi: NullableInterval,
    sensitivityN: Count,
    specificity: NullableNumber,
    specificityCi: NullableInterval,
    specificityN: Count,
    method: Type.String(),
    summary: Type.String(),
  },
  { title: 'JudgeAgreement' },
)

/**
 * `share` is the estimated share of traces whose true rating this is, `votes` the mean share of its votes. `accuracy` is
 * the probability that a rating of this rater is the true one.
 */
const Consensus = closed(
  {
    categories: Type.Array(closed({ rating: Type.String(), share: Type.Number(), votes: Type.Number() })),
    raters: Type.Array(closed({ userId: Type.String(), accuracy: Type.Number() })),
    method: Type.String(),
  },
  { title: 'RatingConsensus' },
)

/**
 * `items` counts the rated traces; `excluded` counts ratings that are not in an ordered scheme. `disagreements` is
 * limited to the most evenly divided traces; `disagreementsTotal` counts all.
 */
const Agreement = closed(
  {
    raters: Type.Array(Rater),
    categories: Type.Array(Type.String()),
    items: Count,
    excluded: Count,
    pairs: Type.Array(RaterPair),
    alpha: Alpha,
    disagreements: Type.Array(Disagreement),
    disagreementsTotal: Count,
    judges: Type.Array(JudgeAgreement),
    summary: Type.String(),
    consensus: Type.Optional(
      nullable(Consensus, {
        description: 'If included. Null with fewer than three raters, and with more than 20 ratings',
      }),
    ),
  },
  { title: 'Agreement' },
)

const SummarizedAgreement = closed(
  { ...Agreement.properties, pairs: Type.Array(SummarizedRaterPair) },
  { title: 'SummarizedAgreement' },
)

const CountedAgreement = closed(
  { ...Agreement.properties, raters: Type.Array(CountedRater), pairs: Type.Array(CountedRaterPair) },
  { title: 'CountedAgreement' },
)

/** With summaries of the pairs, and with the counts of ratings, if the request includes them. */
export const AnyAgreement = Type.Union([Agreement, SummarizedAgreement, CountedAgreement])

export const AGREEMENT_PARTS = ['pair_summaries', 'rating_counts', 'consensus'] as const
export type AgreementPart = (typeof AGREEMENT_PARTS)[number]

export const AgreementQuery = closed({
  include: queryText({
    type: 'string',
    pattern: `^(${AGREEMENT_PARTS.join('|')})(,(${AGREEMENT_PARTS.join('|')}))*$`,
    description:
      'Any of these parts, separated by commas: `pair_summaries` adds a summary to each pair, and removes estimates of fewer than 20 shared traces; `rating_counts` adds how often each rater, and each pair, gave which ratings; `consensus` adds what the raters say together if each has error rates of their own (Dawid & Skene 1979).',
  }),
})
