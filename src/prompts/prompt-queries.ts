import type { Queries } from '../storage/db.ts'
import { lockForUpdate } from '../storage/dialect.ts'
import { pagedList } from '../storage/paged-list.ts'
import { prepared, selectScoped, updateScoped } from '../storage/query-building.ts'

export type PromptScope = { workspaceId: string; componentId: string; promptId: string }

const COLUMNS = ['p.id', 'p.name', 'p.description', 'p.created_at as createdAt', 'p.updated_at as updatedAt'] as const

/** A prompt is active only while its component is: deleting a component marks only the row of the component. */
function activePrompts(q: Queries) {
  return q
    .selectFrom('prompts as p')
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'p.workspace_id').onRef('c.id', '=', 'p.component_id'),
    )
    .where('p.deleted_at', 'is', null)
    .where('c.deleted_at', 'is', null)
}

export const findPrompt = prepared<PromptScope>()((q, value) =>
  activePrompts(q)
    .select(COLUMNS)
    .where('p.workspace_id', '=', value('workspaceId'))
    .where('p.component_id', '=', value('componentId'))
    .where('p.id', '=', value('promptId')),
)

export const listPrompts = pagedList<{ workspaceId: string; componentId: string }>()((q, value) =>
  activePrompts(q)
    .select(COLUMNS)
    .where('p.workspace_id', '=', value('workspaceId'))
    .where('p.component_id', '=', value('componentId'))
    .orderBy('p.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

/**
 * Locks a prompt until the transaction ends, so that its versions and labels change one after the other. The caller has locked the
 * component, whose deletion would hide the prompt.
 */
export async function lockPrompt(tx: Queries, { workspaceId, componentId, promptId }: PromptScope) {
  const query = selectScoped(tx, 'prompts', {
    workspace_id: workspaceId,
    component_id: componentId,
    id: promptId,
    deleted_at: null,
  }).select(['name', 'last_number as lastNumber'])
  return lockForUpdate(tx, query).executeTakeFirst()
}

/** The number of the newest version, also of one that was deleted; 0 if the prompt has none. */
export async function findLastNumber(
  q: Queries,
  { workspaceId, promptId }: Pick<PromptScope, 'workspaceId' | 'promptId'>,
): Promise<number> {
  const row = await selectScoped(q, 'prompts', { workspace_id: workspaceId, id: promptId })
    .select('last_number')
    .executeTakeFirst()
  return row?.last_number ?? 0
}

export async function countPrompts(q: Queries, workspaceId: string, componentId: string): Promise<number> {
  const { count } = await selectScoped(q, 'prompts', {
    workspace_id: workspaceId,
    component_id: componentId,
    deleted_at: null,
  })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function hasPromptNamed(
  q: Queries,
  { workspaceId, componentId, name }: { workspaceId: string; componentId: string; name: string },
): Promise<boolean> {
  const found = await selectScoped(q, 'prompts', {
    workspace_id: workspaceId,
    component_id: componentId,
    name,
    deleted_at: null,
  })
    .select('id')
    .executeTakeFirst()
  return found !== undefined
}

export async function insertPrompt(
  tx: Queries,
  prompt: {
    workspaceId: string
    id: string
    componentId: string
    name: string
    description: string | null
    createdAt: string
  },
): Promise<void> {
  await tx
    .insertInto('prompts')
    .values({
      workspace_id: prompt.workspaceId,
      id: prompt.id,
      component_id: prompt.componentId,
      name: prompt.name,
      description: prompt.description,
      last_number: 0,
      label_changes: 0,
      created_at: prompt.createdAt,
      updated_at: prompt.createdAt,
      deleted_at: null,
    })
    .execute()
}

/** Of a locked prompt, with a change of one of its labels. */
export async function countLabelChange(
  tx: Queries,
  { workspaceId, promptId }: Pick<PromptScope, 'workspaceId' | 'promptId'>,
  updatedAt: string,
): Promise<void> {
  await updateScoped(tx, 'prompts', { workspace_id: workspaceId, id: promptId })
    .set(({ eb }) => ({ label_changes: eb('label_changes', '+', 1), updated_at: updatedAt }))
    .execute()
}

/** Of a locked prompt. `updatedAt` changes with its versions and labels, too. */
export async function updatePrompt(
  tx: Queries,
  { workspaceId, promptId }: Pick<PromptScope, 'workspaceId' | 'promptId'>,
  change: {
    description?: string | null | undefined
    lastNumber?: number | undefined
    deletedAt?: string | undefined
    updatedAt: string
  },
): Promise<void> {
  await updateScoped(tx, 'prompts', { workspace_id: workspaceId, id: promptId })
    .set({
      description: change.description,
      last_number: change.lastNumber,
      deleted_at: change.deletedAt,
      updated_at: change.updatedAt,
    })
    .execute()
}
