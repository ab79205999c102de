import type { Queries } from '../storage/db.ts'
import { foldedName, foldText, inList, lockForNaming, lockForShare } from '../storage/dialect.ts'
import { pagedList } from '../storage/paged-list.ts'
import { prepared, selectScoped, updateScoped } from '../storage/query-building.ts'

const COLUMNS = [
  'id',
  'name',
  'description',
  'workspace_id as workspaceId',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

export const findComponent = prepared<{ workspaceId: string; componentId: string }>()((q, value) =>
  selectScoped(q, 'components', {
    workspace_id: value('workspaceId'),
    id: value('componentId'),
    deleted_at: null,
  }).select(COLUMNS),
)

export const listComponents = pagedList<{ workspaceId: string }>()((q, value) =>
  selectScoped(q, 'components', { workspace_id: value('workspaceId'), deleted_at: null })
    .select(COLUMNS)
    .orderBy('id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

/** The inner query selects only ids, which the index on the name contains; selecting other columns would read all rows. */
const findComponentsNamed = prepared<{ workspaceId: string; names: readonly string[] }>()((q, value) =>
  selectScoped(q, 'components', { workspace_id: value('workspaceId'), deleted_at: null })
    .select(['id', 'name'])
    .where('id', 'in', (inner) =>
      inner
        .selectFrom('components as n')
        .select('n.id')
        .where('n.workspace_id', '=', value('workspaceId'))
        .where(inList(q, foldedName(q, 'n.name'), value('names'))),
    )
    .orderBy('id'),
)

/** Component ids by name: the exact match, or the oldest whose name differs only in case. Unknown names are omitted. */
export async function findComponentIdsByName(
  q: Queries,
  workspaceId: string,
  names: string[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const found = await findComponentsNamed(q, { workspaceId, names: names.map(foldText) })
  for (const name of names) {
    const folded = foldText(name)
    const best =
      found.find((component) => component.name === name) ??
      found.find((component) => foldText(component.name) === folded)
    if (best) ids.set(name, best.id)
  }
  return ids
}

/** Prevents the deletion of a component until the end of the transaction, for adding something to it. False if it does not exist. */
export async function lockComponent(tx: Queries, workspaceId: string, componentId: string): Promise<boolean> {
  return (await lockForShare(tx, activeComponent(tx, workspaceId, componentId)).executeTakeFirst()) !== undefined
}

export const insertComponent = prepared<{
  workspaceId: string
  id: string
  name: string
  description: string | null
  createdAt: string
}>()((q, value) =>
  q.insertInto('components').values({
    workspace_id: value('workspaceId'),
    id: value('id'),
    name: value('name'),
    description: value('description'),
    created_at: value('createdAt'),
    updated_at: value('createdAt'),
    deleted_at: null,
  }),
)

/** Updates only the given fields. */
export async function updateComponent(
  tx: Queries,
  { workspaceId, componentId }: { workspaceId: string; componentId: string },
  change: { name?: string | undefined; description?: string | null | undefined; updatedAt: string },
) {
  return updateScoped(tx, 'components', { workspace_id: workspaceId, id: componentId, deleted_at: null })
    .set({ name: change.name, description: change.description, updated_at: change.updatedAt })
    .returning(COLUMNS)
    .executeTakeFirst()
}

/** After the commit, the component and its contents are invisible. Its rows are deleted later, in small chunks. */
export async function markComponentDeleted(
  tx: Queries,
  { workspaceId, componentId, deletedAt }: { workspaceId: string; componentId: string; deletedAt: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'components', {
    workspace_id: workspaceId,
    id: componentId,
    deleted_at: null,
  })
    .set({ deleted_at: deletedAt })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A label of a prompt of the component whose protection would end with the component. */
export async function findProtectedLabel(
  tx: Queries,
  { workspaceId, componentId }: { workspaceId: string; componentId: string },
): Promise<{ label: string; prompt: string } | undefined> {
  return tx
    .selectFrom('prompts as p')
    .innerJoin('prompt_labels as l', (join) =>
      join.onRef('l.workspace_id', '=', 'p.workspace_id').onRef('l.prompt_id', '=', 'p.id'),
    )
    .select(['l.name as label', 'p.name as prompt'])
    .where('p.workspace_id', '=', workspaceId)
    .where('p.component_id', '=', componentId)
    .where('p.deleted_at', 'is', null)
    .where(({ or, eb }) => or([eb('l.min_role', '<>', 'editor'), eb('l.gate_dataset_id', 'is not', null)]))
    .orderBy('p.name')
    .orderBy('l.name')
    .limit(1)
    .executeTakeFirst()
}

/** Like `lockComponent`, for find-or-create by name: serializes concurrent callers. */
export async function lockComponentForNaming(tx: Queries, workspaceId: string, componentId: string): Promise<boolean> {
  return (await lockForNaming(tx, activeComponent(tx, workspaceId, componentId)).executeTakeFirst()) !== undefined
}

function activeComponent(q: Queries, workspaceId: string, componentId: string) {
  return selectScoped(q, 'components', { workspace_id: workspaceId, id: componentId, deleted_at: null }).select('id')
}
