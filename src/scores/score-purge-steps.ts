import { columnIn, columnIs, everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

/** Rows that refer to an evaluation by `evaluation_id`. */
const rowsOfEvaluations: PurgeStep['rows'] = {
  workspace: everyRow,
  component: columnIn('evaluation_id', 'evaluations', columnIs('component_id')),
  dataset: columnIn('evaluation_id', 'evaluations', columnIs('dataset_id')),
  evaluation: columnIs('evaluation_id'),
}

export const scorePurgeSteps: readonly PurgeStep[] = [
  {
    table: 'evaluation_scores',
    key: ['workspace_id', 'evaluation_id', 'case_ref', 'evaluator', 'repetition'],
    rows: rowsOfEvaluations,
  },
  {
    table: 'anchor_verdicts',
    key: ['workspace_id', 'dataset_id', 'judge', 'evaluation_id', 'item_id'],
    rows: rowsOfEvaluations,
  },
  {
    table: 'evaluations',
    key: ['workspace_id', 'id'],
    rows: {
      workspace: everyRow,
      component: columnIs('component_id'),
      dataset: columnIs('dataset_id'),
      evaluation: columnIs('id'),
    },
  },
  { table: 'model_answers', key: ['workspace_id', 'hash'], rows: { workspace: everyRow } },
]
