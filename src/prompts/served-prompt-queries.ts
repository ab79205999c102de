import type { Queries } from '../storage/db.ts'
import { prepared, selectScoped } from '../storage/query-building.ts'
import type { Split } from './choose-version.ts'

/**
 * A prompt by name with all of its labels, in one statement: a row without a prompt means that the component has none of this name, and no
 * row that there is no component.
 */
const findLabelRows = prepared<{ workspaceId: string; componentId: string; name: string }>()((q, value) =>
  q
    .selectFrom('components as c')
    .leftJoin('prompts as p', (join) =>
      join
        .onRef('p.workspace_id', '=', 'c.workspace_id')
        .onRef('p.component_id', '=', 'c.id')
        .on('p.name', '=', value('name'))
        .on('p.deleted_at', 'is', null),
    )
    .leftJoin('prompt_labels as l', (join) =>
      join
        .onRef('l.workspace_id', '=', 'p.workspace_id')
        .onRef('l.prompt_id', '=', 'p.id')
        .on('l.splits', 'is not', null),
    )
    .select(['p.id as promptId', 'l.name as label', 'l.change_number as change', 'l.seed', 'l.splits'])
    .where('c.workspace_id', '=', value('workspaceId'))
    .where('c.id', '=', value('componentId'))
    .where('c.deleted_at', 'is', null)
    .orderBy('l.name'),
)

export type ServingLabel = { label: string; change: number; seed: number; splits: Split[] }

/** `promptId` is undefined if the component has no prompt of this name; the result, if there is no component. */
export async function findServingLabels(
  q: Queries,
  scope: { workspaceId: string; componentId: string; name: string },
): Promise<{ promptId: string | undefined; labels: ServingLabel[] } | undefined> {
  const rows = await findLabelRows(q, scope)
  if (rows.length === 0) return undefined
  const labels = rows.flatMap(({ label, change, seed, splits }) =>
    label === null || change === null || seed === null || splits === null
      ? []
      : [{ label, change, seed, splits: JSON.parse(splits) }],
  )
  return { promptId: rows[0]?.promptId ?? undefined, labels }
}

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
