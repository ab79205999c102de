import { columnIn, columnIs, everyRow } from '../purge/purge-queries.ts'
import { LARGE_ROWS_PER_STATEMENT, type PurgeStep } from '../purge/purge-step.ts'

const rowsOfExperiments: PurgeStep['rows'] = {
  workspace: everyRow,
  component: columnIn('experiment_id', 'experiments', columnIs('component_id')),
  dataset: columnIn('experiment_id', 'experiments', columnIs('dataset_id')),
  experiment: columnIs('experiment_id'),
}

export const experimentPurgeSteps: readonly PurgeStep[] = [
  {
    table: 'experiment_calls',
    key: ['workspace_id', 'experiment_id', 'number'],
    rows: rowsOfExperiments,
    rowsPerStatement: LARGE_ROWS_PER_STATEMENT,
  },
  {
    table: 'experiment_iterations',
    key: ['workspace_id', 'experiment_id', 'number'],
    rows: rowsOfExperiments,
    rowsPerStatement: LARGE_ROWS_PER_STATEMENT,
  },
  { table: 'experiment_evaluators', key: ['workspace_id', 'experiment_id', 'id'], rows: rowsOfExperiments },
  { table: 'experiment_settings', key: ['workspace_id', 'experiment_id'], rows: rowsOfExperiments },
  {
    table: 'experiments',
    key: ['workspace_id', 'id'],
    rows: {
      workspace: everyRow,
      component: columnIs('component_id'),
      dataset: columnIs('dataset_id'),
      experiment: columnIs('id'),
    },
  },
]
