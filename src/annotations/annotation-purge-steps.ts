import { everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'
import { rowsOfRuns } from '../runs/run-purge-steps.ts'

export const annotationPurgeSteps: readonly PurgeStep[] = [
  { table: 'annotations', key: ['workspace_id', 'id'], rows: rowsOfRuns },
  { table: 'annotation_leases', key: ['workspace_id', 'run_id', 'trace_ref', 'user_id'], rows: rowsOfRuns },
  { table: 'annotation_skips', key: ['workspace_id', 'run_id', 'user_id', 'trace_ref'], rows: rowsOfRuns },
  { table: 'annotation_draws', key: ['workspace_id', 'run_id', 'trace_ref'], rows: rowsOfRuns },
  { table: 'annotation_changes', key: ['workspace_id', 'id'], rows: rowsOfRuns },
  { table: 'disagreement_resolutions', key: ['workspace_id', 'run_id', 'trace_ref'], rows: rowsOfRuns },
  { table: 'annotation_policies', key: ['workspace_id', 'run_id'], rows: rowsOfRuns },
  { table: 'trace_annotations', key: ['workspace_id', 'id'], rows: { workspace: everyRow } },
  { table: 'trace_comments', key: ['workspace_id', 'trace_id', 'id'], rows: { workspace: everyRow } },
  { table: 'rating_schemes', key: ['workspace_id'], rows: { workspace: everyRow } },
]
