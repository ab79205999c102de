/**
 * Which ratings and scores a search may use. It is the same for every caller, whoever asks: in a run that is rated blindly a rating that
 * can be searched for is a rating that can be read. SQL and not code of the slices that own these tables, which are to the right.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { onTrace } from './on-trace.ts'

/** The score `x` of the evaluations that are still there, with their component and dataset. */
export function visibleScores(workspaceId: string, evaluator: string) {
  return onTrace
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
    .where('x.evaluator', '=', evaluator)
    .where('x.state', '=', 'scored')
    .where(sql<SqlBool>`not (${mayBeRating} and ${hasBlindRun})`)
}

/**
 * Scores by `humanRating` are what people said. An evaluation that has no configuration has it under that name; in others it may have
 * any name, so that all scores of an evaluation with such an evaluator are treated alike.
 */
const mayBeRating = sql<SqlBool>`(x.evaluator = 'humanRating' or e.config like '%"humanRating"%')`

/** An evaluation without a run, or with one to compare with, is about ratings of more runs than one. */
const hasBlindRun = sql<SqlBool>`exists (select 1 from annotation_policies as p
  where p.workspace_id = e.workspace_id and p.is_blind = 1
    and (e.run_id is null or p.run_id = e.run_id or e.config like '%"baselineRunId"%'))`

/** Whether the annotation `a` is in a run that is not rated blindly. */
export function isOpenRating(): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (select 1 from annotation_policies as p
    where p.workspace_id = a.workspace_id and p.run_id = a.run_id and p.is_blind = 1)`
}

/** The sender's name of the trace that a score is about: a case may be an item of a dataset, which is not named like its trace. */
export const scoredTrace = sql<string>`coalesce(x.trace_ref, x.case_ref)`
