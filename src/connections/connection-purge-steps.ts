import { everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

export const connectionPurgeSteps: readonly PurgeStep[] = [
  { table: 'model_connections', key: ['workspace_id', 'id'], rows: { workspace: everyRow } },
]
