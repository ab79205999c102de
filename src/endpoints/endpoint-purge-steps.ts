import { everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

export const endpointPurgeSteps: readonly PurgeStep[] = [
  { table: 'endpoints', key: ['workspace_id', 'id'], rows: { workspace: everyRow } },
]
