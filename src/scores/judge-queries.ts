/** Queries on scores with a pass mark. */
import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'
import { selectScoped } from '../storage/query-building.ts'
import type { EvaluationScope } from './score-queries.ts'
import { humanRatingEvaluators, type StoredConfig } from './stored-config.ts'

/** The score ranges of passed and of failed cases of an evaluator. */
export type JudgeRange = {
  evaluator: string
  passedFrom: number | null
  passedTo: number | null
  failedFrom: number | null
  failedTo: number | null
}

/** The evaluators that report whether a case passed, except for those that only repeat the ratings of users. */
export async function listJudges(q: Queries, scope: EvaluationScope, config: StoredConfig): Promise<JudgeRange[]> {
  const people = humanRatingEvaluators(config)
  const rows = await verdictRows(q, scope)
    .select([
      'evaluator',
      sql<number | null>`min(case passed when 1 then score end)`.as('passedFrom'),
      sql<number | null>`max(case passed when 1 then score end)`.as('passedTo'),
      sql<number | null>`min(case passed when 0 then score end)`.as('failedFrom'),
      sql<number | null>`max(case passed when 0 then score end)`.as('failedTo'),
    ])
    .groupBy('evaluator')
    .orderBy('evaluator')
    .execute()
  return rows.filter(({ evaluator }) => !people.includes(evaluator))
}

/**
 * The cases that an evaluator is least certain about, most uncertain first. Cases with a doubt of at most `least` are
 * excluded.
 */
export async function listUncertain(
  q: Queries,
  scope: EvaluationScope,
  {
    evaluator,
    line,
    range,
    least,
    limit,
  }: { evaluator: string; line: number; range: number; least: number; limit: number },
): Promise<{ ref: string; doubt: number }[]> {
  const cases = verdictRows(q, scope)
    .select([
      'case_ref as ref',
      sql<number>`avg(cast(passed as double precision))`.as('share'),
      // Without scores, or if all scores are equal, there is no distance; the nearness is then 0.
      sql<number>`coalesce(1 - abs(avg(score) - ${line}) / nullif(cast(${range} as double precision), 0), 0)`.as(
        'nearness',
      ),
    ])
    .where('evaluator', '=', evaluator)
    .groupBy('case_ref')
  const doubts = q
    .selectFrom(cases.as('cases'))
    .select([
      'ref',
      sql<number>`case when 4 * share * (1 - share) > nearness then 4 * share * (1 - share) else nearness end`.as(
        'doubt',
      ),
    ])
  return q
    .selectFrom(doubts.as('doubts'))
    .selectAll()
    .where('doubt', '>', least)
    .orderBy('doubt', 'desc')
    .orderBy('ref')
    .limit(limit)
    .execute()
}

/** The share of passed repetitions for each of these cases and evaluators. */
export async function listPassRates(
  q: Queries,
  scope: EvaluationScope,
  { evaluators, refs }: { evaluators: readonly string[]; refs: readonly string[] },
): Promise<{ ref: string; share: number }[]> {
  return verdictRows(q, scope)
    .select(['case_ref as ref', sql<number>`avg(cast(passed as double precision))`.as('share')])
    .where(inList(q, 'case_ref', refs))
    .where(inList(q, 'evaluator', evaluators))
    .groupBy(['case_ref', 'evaluator'])
    .execute()
}

/** A page of the cases of an evaluator with the share of passed repetitions, in the order of their references. */
export async function listVerdicts(
  q: Queries,
  scope: EvaluationScope,
  { evaluator, after, limit }: { evaluator: string; after: string; limit: number },
): Promise<{ ref: string; share: number }[]> {
  return verdictRows(q, scope)
    .select(['case_ref as ref', sql<number>`avg(cast(passed as double precision))`.as('share')])
    .where('evaluator', '=', evaluator)
    .where('case_ref', '>', after)
    .groupBy('case_ref')
    .orderBy('case_ref')
    .limit(limit)
    .execute()
}

function verdictRows(q: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  return selectScoped(q, 'evaluation_scores', {
    workspace_id: workspaceId,
    evaluation_id: evaluationId,
    state: 'scored',
  }).where('passed', 'is not', null)
}
