import { columnIn, columnIs, everyRow } from '../purge/purge-queries.ts'
import { LARGE_ROWS_PER_STATEMENT, type PurgeStep } from '../purge/purge-step.ts'

export const datasetPurgeSteps: readonly PurgeStep[] = [
  {
    table: 'dataset_items',
    key: ['workspace_id', 'dataset_id', 'id'],
    rows: {
      workspace: everyRow,
      component: columnIn('dataset_id', 'datasets', columnIs('component_id')),
      dataset: columnIs('dataset_id'),
    },
    rowsPerStatement: LARGE_ROWS_PER_STATEMENT,
  },
  {
    table: 'test_openings',
    key: ['workspace_id', 'dataset_id', 'subject'],
    rows: {
      workspace: everyRow,
      component: columnIn('dataset_id', 'datasets', columnIs('component_id')),
      dataset: columnIs('dataset_id'),
    },
  },
  {
    table: 'dataset_imports',
    key: ['workspace_id', 'dataset_id', 'id'],
    rows: {
      workspace: everyRow,
      component: columnIn('dataset_id', 'datasets', columnIs('component_id')),
      dataset: columnIs('dataset_id'),
    },
  },
  {
    table: 'datasets',
    key: ['workspace_id', 'id'],
    rows: { workspace: everyRow, component: columnIs('component_id'), dataset: columnIs('id') },
  },
]
