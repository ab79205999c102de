/**
 * Reads whether something has changed in an application. Each statement reads one row, or the newest few of an index, so the
 * cost does not depend on how much is stored.
 */
import type { Queries } from '../storage/db.ts'

/** A change to one of this many newest rows is noticed. */
const NEWEST_MAX = 50

/** Grows with every span that is stored, and changes when traces are deleted. */
export async function readTraceState(q: Queries, workspaceId: string): Promise<unknown> {
  return q
    .selectFrom('workspace_usage')
    .select(['day', 'spans', 'stored_bytes'])
    .where('workspace_id', '=', workspaceId)
    .execute()
}

export async function readRunState(q: Queries, workspaceId: string): Promise<unknown> {
  return q
    .selectFrom('runs')
    .select(['id', 'name', 'trace_count', 'deleted_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(NEWEST_MAX)
    .execute()
}

/** The newest evaluations, and older ones that run again. */
export async function readEvaluationState(q: Queries, workspaceId: string): Promise<unknown> {
  const evaluations = q
    .selectFrom('evaluations')
    .select(['id', 'name', 'status', 'cases_done', 'cases_failed', 'cases_skipped', 'deleted_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(NEWEST_MAX)
  const newest = await evaluations.execute()
  const open = await evaluations.where('status', 'in', ['pending', 'running']).execute()
  return [newest, open]
}

/** Annotations in runs and of traces, comments, resolved disagreements, and preferences. */
export async function readAnnotationState(q: Queries, workspaceId: string): Promise<unknown> {
  const inRuns = await q
    .selectFrom('annotation_changes')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(1)
    .execute()
  const ofTraces = await q
    .selectFrom('trace_annotations')
    .select(['id', 'updated_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('updated_at', 'desc')
    .limit(NEWEST_MAX)
    .execute()
  const comments = await q
    .selectFrom('trace_comments')
    .select(['id', 'updated_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('updated_at', 'desc')
    .limit(NEWEST_MAX)
    .execute()
  const resolutions = await q
    .selectFrom('disagreement_resolutions')
    .select(['run_id', 'trace_ref', 'updated_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('updated_at', 'desc')
    .limit(NEWEST_MAX)
    .execute()
  const preferences = await q
    .selectFrom('comparison_preferences')
    .select(['item_id', 'user_id', 'updated_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('updated_at', 'desc')
    .limit(NEWEST_MAX)
    .execute()
  return [inRuns, ofTraces, comments, resolutions, preferences]
}

export async function readDecisionState(q: Queries, workspaceId: string): Promise<unknown> {
  return q
    .selectFrom('decisions')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(NEWEST_MAX)
    .execute()
}
