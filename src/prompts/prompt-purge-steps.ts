import { columnIn, columnIs, everyRow } from '../purge/purge-queries.ts'
import { LARGE_ROWS_PER_STATEMENT, type PurgeStep } from '../purge/purge-step.ts'

const belowPrompt = {
  workspace: everyRow,
  component: columnIn('prompt_id', 'prompts', columnIs('component_id')),
  prompt: columnIs('prompt_id'),
}

export const promptPurgeSteps: readonly PurgeStep[] = [
  { table: 'prompt_label_changes', key: ['workspace_id', 'id'], rows: belowPrompt },
  { table: 'prompt_labels', key: ['workspace_id', 'prompt_id', 'name'], rows: belowPrompt },
  {
    table: 'prompt_versions',
    key: ['workspace_id', 'prompt_id', 'number'],
    rows: belowPrompt,
    rowsPerStatement: LARGE_ROWS_PER_STATEMENT,
  },
  {
    table: 'prompts',
    key: ['workspace_id', 'id'],
    rows: { workspace: everyRow, component: columnIs('component_id'), prompt: columnIs('id') },
  },
]
