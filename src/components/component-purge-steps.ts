import { columnIs, everyRow, type PurgeStep } from '../purge/purge-step.ts'

export const componentPurgeSteps: readonly PurgeStep[] = [
  { table: 'components', key: ['workspace_id', 'id'], rows: { workspace: everyRow, component: columnIs('id') } },
]
