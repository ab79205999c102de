/**
 * The ratings and scores that a search may use, the same for every caller: in a blind run, a rating that can be searched
 * for could be read. And the scores of a trace that one reader may see. Written in SQL because this module must not
 * import the modules that own these tables.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { traceExpression } from './trace-expression.ts'

/** The scores `x` that a search may use. */
export function visibleScores(workspaceId: string) {
  return activeScores(workspaceId).where(sql<SqlBool>`not (${mayBeRating} and ${hasBlindRun})`)
}

/** The scores `x` that a reader may see, by the runs that the reader must rate blindly. */
export function scoresVisibleTo(workspaceId: string, blindRuns: readonly string[]) {
  if (blindRuns.length === 0) return activeScores(workspaceId)
  const usesBlindRun = sql<SqlBool>`(e.run_id is null or e.run_id in (${sql.join(blindRuns)}) or ${hasBaseline})`
  return activeScores(workspaceId).where(sql<SqlBool>`not (${mayBeRating} and ${usesBlindRun})`)
}

/**
 * The scores `x` of active evaluations with an active component and dataset. The state is a literal instead of a
 * parameter: otherwise the engines do not use the partial index on the scores of a trace.
 */
function activeScores(workspaceId: string) {
  return traceExpression
    .selectFrom('evaluation_scores as x')
    .innerJoin('evaluations as e', (join) =>
      join
        .onRef('e.workspace_id', '=', 'x.workspace_id')
        .onRef('e.id', '=', 'x.evaluation_id')
        .on('e.deleted_at', 'is', null),
    )
    .innerJoin('datasets as d', (join) =>
      join
        .onRef('d.workspace_id', '=', 'e.workspace_id')
        .onRef('d.id', '=', 'e.dataset_id')
        .on('d.deleted_at', 'is', null),
    )
    .innerJoin('components as k', (join) =>
      join
        .onRef('k.workspace_id', '=', 'e.workspace_id')
        .onRef('k.id', '=', 'e.component_id')
        .on('k.deleted_at', 'is', null),
    )
    .where('x.workspace_id', '=', workspaceId)
    .where('x.state', '=', sql.lit('scored'))
}

/**
 * Scores of `humanRating` are ratings. An evaluation without a configuration uses that name; in others the evaluator
 * may have any name, so all scores of an evaluation with such an evaluator are treated as ratings.
 */
const mayBeRating = sql<SqlBool>`(x.evaluator = 'humanRating' or e.config like '%"humanRating"%')`

/** An evaluation without a run, or with a baseline run, uses ratings of several runs. */
const hasBaseline = sql<SqlBool>`e.config like '%"baselineRunId"%'`
const hasBlindRun = sql<SqlBool>`exists (select 1 from annotation_policies as p
  where p.workspace_id = e.workspace_id and p.is_blind = 1
    and (e.run_id is null or p.run_id = e.run_id or ${hasBaseline}))`

/** True if the run of the annotation `a` is not rated blindly. */
export function isOpenRating(workspaceId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (select 1 from annotation_policies as p
    where p.workspace_id = ${workspaceId} and p.run_id = a.run_id and p.is_blind = 1)`
}

/** True if the trace `t` is not part of a run that is rated blindly. */
export function isOutsideBlindRuns(workspaceId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (select 1 from run_traces as l
    inner join annotation_policies as p on p.workspace_id = l.workspace_id and p.run_id = l.run_id and p.is_blind = 1
    where l.workspace_id = ${workspaceId} and l.trace_ref = t.trace_id)`
}

/** The OpenTelemetry id of the scored trace: a case may be a dataset item, whose reference is not a trace id. */
export const scoredTrace = sql<string>`coalesce(x.trace_ref, x.case_ref)`
