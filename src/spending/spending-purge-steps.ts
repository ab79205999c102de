import { everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

export const spendingPurgeSteps: readonly PurgeStep[] = [
  { table: 'spending', key: ['workspace_id', 'day', 'kind'], rows: { workspace: everyRow } },
  { table: 'spending_limits', key: ['workspace_id'], rows: { workspace: everyRow } },
]
