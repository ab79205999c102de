import { columnIs, everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

export const componentPurgeSteps: readonly PurgeStep[] = [
  { table: 'components', key: ['workspace_id', 'id'], rows: { workspace: everyRow, component: columnIs('id') } },
]
