/**
 * Scores and ratings of traces of production that used prompts. Only those that every caller may see: a rating in a number could be read
 * by a rater of a blind run. A trace is scored after it began, so scores of before the period are not read.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { activeAnnotations } from '../../annotations/annotation-list-queries.ts'
import { hasRating } from '../../annotations/annotation-queries.ts'
import { lowestIdAt } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import {
  isOpenRating,
  isOutsideBlindRuns,
  scoredTrace,
  visibleScores,
} from '../../traces/query/visible-score-queries.ts'
import type { PromptPeriod } from './prompt-period.ts'

const HOUR_MS = 3_600_000
const HOUR_NS = 3_600_000_000_000n
/** The newest ones. Intervals of more are as narrow as anyone needs. */
const READ_MAX = 50_000

type Scored = { workspaceId: string; componentId: string; period: PromptPeriod }

export type TraceValue = { traceDbId: string; prompts: string; value: string | number; of: string }

/** The ratings of traces, each with the user who gave it. */
export async function listPromptRatings(q: Queries, scope: Scored): Promise<TraceValue[]> {
  const { workspaceId, period } = scope
  const since = lowestIdAt(period.firstHour * HOUR_MS)
  const outside = await q
    .selectFrom('trace_annotations as o')
    .innerJoin('traces as t', (join) =>
      join.onRef('t.workspace_id', '=', 'o.workspace_id').onRef('t.id', '=', 'o.trace_id'),
    )
    .select(['t.id as traceDbId', 't.prompts', 'o.rating as value', 'o.user_id as of'])
    .where('o.workspace_id', '=', workspaceId)
    .where('o.id', '>=', since)
    .where(hasRating('o'))
    .where(isOutsideBlindRuns(workspaceId))
    .where(isCounted(scope))
    .orderBy('o.id', 'desc')
    .limit(READ_MAX)
    .execute()
  const inRuns = await activeAnnotations(q)
    .innerJoin('traces as t', (join) =>
      join.onRef('t.workspace_id', '=', 'a.workspace_id').onRef('t.trace_id', '=', 'a.trace_ref'),
    )
    .select(['t.id as traceDbId', 't.prompts', 'a.rating as value', 'a.user_id as of'])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.id', '>=', since)
    .where(hasRating('a'))
    .where(isOpenRating(workspaceId))
    .where(isCounted(scope))
    .orderBy('a.id', 'desc')
    .limit(READ_MAX)
    .execute()
  return [...outside, ...inRuns].flatMap(({ prompts, value, ...row }) =>
    prompts === null || value === null ? [] : { ...row, prompts, value },
  )
}

/** The scores of traces by one evaluator, each with its evaluation. */
export async function listPromptScores(q: Queries, scope: Scored, evaluator: string): Promise<TraceValue[]> {
  const scores = visibleScores(scope.workspaceId)
    .innerJoin('traces as t', (join) =>
      join.onRef('t.workspace_id', '=', 'x.workspace_id').on('t.trace_id', '=', scoredTrace),
    )
    .select(['t.id as traceDbId', 't.prompts', 'x.score as value', 'x.evaluation_id as of'])
    .where('x.evaluator', '=', evaluator)
    .where('x.evaluation_id', '>=', lowestIdAt(scope.period.firstHour * HOUR_MS))
    .where('x.score', 'is not', null)
    .where(isCounted(scope))
    .orderBy('x.evaluation_id', 'desc')
    .limit(READ_MAX)
  const rows = await q.selectFrom(scores.as('s')).selectAll().execute()
  return rows.flatMap(({ prompts, value, ...row }) =>
    prompts === null || value === null ? [] : { ...row, prompts, value },
  )
}

/** A trace `t` of production that used a prompt. */
function isCounted({ workspaceId, componentId, period: { firstHour, endHour } }: Scored): RawBuilder<SqlBool> {
  return sql<SqlBool>`t.workspace_id = ${workspaceId} and t.component_id = ${componentId} and t.deleted_at is null
    and t.source is null and t.prompts is not null and t.start_ns >= ${String(BigInt(firstHour) * HOUR_NS)}
    and t.start_ns < ${String(BigInt(endHour) * HOUR_NS)}`
}
