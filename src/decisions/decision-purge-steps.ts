import { columnIn, columnIs, everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

/** A decision goes with its component, not with its runs. */
export const decisionPurgeSteps: readonly PurgeStep[] = [
  {
    table: 'shared_links',
    key: ['workspace_id', 'id'],
    rows: { workspace: everyRow, component: columnIn('decision_id', 'decisions', columnIs('component_id')) },
  },
  {
    table: 'decisions',
    key: ['workspace_id', 'id'],
    rows: { workspace: everyRow, component: columnIs('component_id') },
  },
  { table: 'sharing_settings', key: ['workspace_id'], rows: { workspace: everyRow } },
]
