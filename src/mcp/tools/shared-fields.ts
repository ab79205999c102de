/** Fields that several tools return. All of them are optional, because null is omitted from results. */
import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { Ref, Stored } from '../stored-text.ts'

export const Num = Type.Optional(Type.Number())
export const Bool = Type.Optional(Type.Boolean())
export const Interval = Type.Optional(Type.Array(Type.Number(), { description: '95 % confidence interval.' }))

/** One metric of an evaluation. `summary` replaces the mean where there are too few cases. */
export const Metric = closed({
  name: Stored,
  mean: Num,
  ci: Interval,
  n: Num,
  cases: Num,
  failed: Num,
  kind: Stored,
  higherIsBetter: Bool,
  summary: Stored,
})

export const ComparisonWithBaseline = Type.Optional(
  closed({
    evaluationId: Ref,
    baseline: Type.Optional(closed({ id: Ref, name: Stored })),
    candidate: Type.Optional(closed({ id: Ref, name: Stored })),
    verdict: Stored,
    summary: Stored,
    pairs: Num,
    gate: Type.Optional(closed({ passed: Bool, summary: Stored })),
  }),
)

export const RunName = Type.Optional(
  closed({ id: Ref, name: Stored, datasetId: Ref, datasetName: Stored, traceCount: Num, createdAt: Stored }),
)

export const EvaluationState = Type.Optional(
  closed({
    id: Ref,
    name: Stored,
    status: Stored,
    error: Stored,
    scores: Type.Optional(closed({ total: Num, done: Num, failed: Num })),
    completedAt: Stored,
  }),
)
