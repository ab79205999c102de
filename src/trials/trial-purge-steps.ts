import { columnIn, columnIs, everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

const rowsOfTrials: PurgeStep['rows'] = {
  workspace: everyRow,
  component: columnIn('trial_id', 'trials', columnIs('component_id')),
  dataset: columnIn('trial_id', 'trials', columnIs('dataset_id')),
  trial: columnIs('trial_id'),
}

export const trialPurgeSteps: readonly PurgeStep[] = [
  { table: 'trial_calls', key: ['workspace_id', 'trial_id', 'number'], rows: rowsOfTrials },
  { table: 'trial_variants', key: ['workspace_id', 'trial_id', 'number'], rows: rowsOfTrials },
  {
    table: 'trials',
    key: ['workspace_id', 'id'],
    rows: {
      workspace: everyRow,
      component: columnIs('component_id'),
      dataset: columnIs('dataset_id'),
      trial: columnIs('id'),
    },
  },
]
