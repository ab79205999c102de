import type { Queries } from '../storage/db.ts'
import { prepared, selectScoped } from '../storage/query-building.ts'

/**
 * A prompt by name, and how many changes its labels had: a row without a prompt means that the component has none of this name, and no row
 * that there is no component.
 */
export const findServingPrompt = prepared<{ workspaceId: string; componentId: string; name: string }>()((q, value) =>
  q
    .selectFrom('components as c')
    .leftJoin('prompts as p', (join) =>
      join
        .onRef('p.workspace_id', '=', 'c.workspace_id')
        .onRef('p.component_id', '=', 'c.id')
        .on('p.name', '=', value('name'))
        .on('p.deleted_at', 'is', null),
    )
    .select(['p.id as promptId', 'p.label_changes as labelChanges'])
    .where('c.workspace_id', '=', value('workspaceId'))
    .where('c.id', '=', value('componentId'))
    .where('c.deleted_at', 'is', null),
)

export type MovedLabel = { id: string; componentId: string; name: string; label: string; change: number }

const findMovedLabels = prepared<{ workspaceId: string; limit: number }>()((q, value) =>
  q
    .selectFrom('prompt_label_changes as c')
    .innerJoin('prompts as p', (join) =>
      join.onRef('p.workspace_id', '=', 'c.workspace_id').onRef('p.id', '=', 'c.prompt_id'),
    )
    .select(['c.id', 'p.component_id as componentId', 'p.name', 'c.label', 'c.number as change'])
    .where('c.workspace_id', '=', value('workspaceId'))
    .orderBy('c.id', 'desc')
    .limit(value('limit')),
)

/** The newest changes of labels in a workspace, newest first. */
export async function listNewestMoves(
  q: Queries,
  scope: { workspaceId: string; limit: number },
): Promise<MovedLabel[]> {
  return findMovedLabels(q, scope)
}

/** Changes with every prompt, version and label. */
export async function readPromptState(q: Queries, workspaceId: string): Promise<unknown> {
  const prompts = await selectScoped(q, 'prompts', { workspace_id: workspaceId })
    .select(['id', 'last_number', 'updated_at', 'deleted_at'])
    .orderBy('updated_at', 'desc')
    .limit(50)
    .execute()
  const moves = await selectScoped(q, 'prompt_label_changes', { workspace_id: workspaceId })
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .execute()
  return [prompts, moves]
}
