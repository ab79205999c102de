import { columnEquals, everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'
import { deleteExampleAuthors } from './example-author-queries.ts'

/** With keys, invitations and members, which belong to the workspace. */
export const workspacePurgeSteps: readonly PurgeStep[] = [
  { table: 'workspace_usage', key: ['workspace_id'], rows: { workspace: everyRow } },
  { table: 'api_keys', key: ['workspace_id', 'id'], rows: { workspace: everyRow } },
  { table: 'revoked_api_keys', key: ['workspace_id', 'key_hash'], rows: { workspace: everyRow } },
  { table: 'invitations', key: ['workspace_id', 'id'], rows: { workspace: everyRow } },
  { table: 'saved_views', key: ['workspace_id', 'id'], rows: { workspace: everyRow } },
  { table: 'example_data', key: ['workspace_id'], rows: { workspace: everyRow } },
  {
    table: 'example_authors',
    key: ['workspace_id', 'user_id'],
    rows: { workspace: everyRow },
    release: (tx, { workspaceId }) => deleteExampleAuthors(tx, workspaceId),
  },
  { table: 'former_members', key: ['workspace_id', 'user_id'], rows: { workspace: everyRow } },
  { table: 'members', key: ['workspace_id', 'user_id'], rows: { workspace: everyRow } },
  { table: 'idempotency_keys', key: ['workspace_id', 'scope', 'key'], rows: { workspace: everyRow } },
  // Jobs that are still due end on their own: they find nothing.
  { table: 'jobs', key: ['workspace_id', 'id'], rows: { workspace: columnEquals('state', 'failed') } },
  { table: 'workspaces', key: ['id'], rows: { workspace: everyRow } },
]
