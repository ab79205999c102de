/**
 * Reads whether something has changed in an application. Each statement reads one row, or the newest few of an index, so the
 * cost does not depend on how much is stored.
 */
import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { selectScoped } from '../storage/query-building.ts'

/** A change to one of this many newest rows is noticed. */
const NEWEST_MAX = 50

/** Grows with every span that is stored, and changes when traces are deleted. */
export async function readTraceState(q: Queries, workspaceId: string): Promise<unknown> {
  return selectScoped(q, 'workspace_usage', { workspace_id: workspaceId })
    .select(['day', 'spans', 'stored_bytes'])
    .execute()
}

export async function readRunState(q: Queries, workspaceId: string): Promise<unknown> {
  return selectScoped(q, 'runs', { workspace_id: workspaceId })
    .select(['id', 'name', 'trace_count', 'deleted_at'])
    .orderBy('id', 'desc')
    .limit(NEWEST_MAX)
    .execute()
}

/** The newest evaluations, and older ones that run again. */
export async function readEvaluationState(q: Queries, workspaceId: string): Promise<unknown> {
  const evaluations = selectScoped(q, 'evaluations', { workspace_id: workspaceId })
    .select(['id', 'name', 'status', 'cases_done', 'cases_failed', 'cases_skipped', 'deleted_at'])
    .orderBy('id', 'desc')
    .limit(NEWEST_MAX)
  const newest = await evaluations.execute()
  const open = await evaluations.where('status', 'in', ['pending', 'running']).execute()
  return [newest, open]
}

/** Annotations in runs and of traces, comments, resolved disagreements, and preferences. */
export async function readAnnotationState(q: Queries, workspaceId: string): Promise<unknown> {
  const inRuns = await selectScoped(q, 'annotation_changes', { workspace_id: workspaceId })
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .execute()
  const ofTraces = await selectScoped(q, 'trace_annotations', { workspace_id: workspaceId })
    .select(['id', 'updated_at'])
    .orderBy('updated_at', 'desc')
    .limit(NEWEST_MAX)
    .execute()
  const comments = await selectScoped(q, 'trace_comments', { workspace_id: workspaceId })
    .select(['id', 'updated_at'])
    .orderBy('updated_at', 'desc')
    .limit(NEWEST_MAX)
    .execute()
  const resolutions = await selectScoped(q, 'disagreement_resolutions', { workspace_id: workspaceId })
    .select(['run_id', 'trace_ref', 'updated_at'])
    .orderBy('updated_at', 'desc')
    .limit(NEWEST_MAX)
    .execute()
  const preferences = await selectScoped(q, 'comparison_preferences', { workspace_id: workspaceId })
    .select(['item_id', 'user_id', 'updated_at'])
    .orderBy('updated_at', 'desc')
    .limit(NEWEST_MAX)
    .execute()
  return [inRuns, ofTraces, comments, resolutions, preferences]
}

export async function readDecisionState(q: Queries, workspaceId: string): Promise<unknown> {
  return selectScoped(q, 'decisions', { workspace_id: workspaceId })
    .select('id')
    .orderBy('id', 'desc')
    .limit(NEWEST_MAX)
    .execute()
}

/** The newest trials with what has ended in them, and older ones that run. Differs once something has changed. */
export async function readTrialState(q: Queries, workspaceId: string): Promise<unknown> {
  const rows = selectScoped(q, 'trials', { workspace_id: workspaceId })
    .select(['id', 'name', 'status', 'phase', 'updated_at', 'deleted_at'])
    .orderBy('id', 'desc')
    .limit(NEWEST_MAX)
  const newest = await rows.execute()
  const open = await rows.where(sql<boolean>`status in ('pending', 'running')`).execute()
  const ids = open.map(({ id }) => id)
  if (ids.length === 0) return [newest, open]
  const variants = await selectScoped(q, 'trial_variants', { workspace_id: workspaceId })
    .select(['trial_id', 'number', 'calls_done', 'calls_failed', 'calls_skipped'])
    .where('trial_id', 'in', ids)
    .orderBy('trial_id')
    .orderBy('number')
    .execute()
  return [newest, open, variants]
}

/** The newest experiments. Each step of one changes its row. */
export async function readExperimentState(q: Queries, workspaceId: string): Promise<unknown> {
  return selectScoped(q, 'experiments', { workspace_id: workspaceId })
    .select(['id', 'status', 'phase', 'updated_at', 'deleted_at'])
    .orderBy('id', 'desc')
    .limit(NEWEST_MAX)
    .execute()
}
