/** Creates, changes and deletes prompts. */
import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { conflict, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { lockComponent, lockComponentForNaming } from '../components/component-queries.ts'
import type { Context } from '../http/route.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import type { Queries } from '../storage/db.ts'
import { findLabels } from './label-queries.ts'
import { countPrompts, findPrompt, hasPromptNamed, insertPrompt, lockPrompt, updatePrompt } from './prompt-queries.ts'
import { requireRemover } from './set-label.ts'

const PROMPTS_MAX = 1_000

export type ChangeContext = Pick<Context, 'db' | 'clock' | 'newId' | 'requestId' | 'address'>
export type PromptTarget = { componentId: string; promptId: string }

export async function createPrompt(
  { db, newId }: Pick<Context, 'db' | 'newId'>,
  { workspaceId }: Principal,
  {
    componentId,
    name,
    description = null,
  }: { componentId: string; name: string; description?: string | null | undefined },
) {
  return db.transaction(async (tx) => {
    // Locked while the name and the limit are checked: otherwise concurrent requests could both pass.
    if (!(await lockComponentForNaming(tx, workspaceId, componentId))) throw notFound('Component')
    if (await hasPromptNamed(tx, { workspaceId, componentId, name }))
      throw conflict(`The component has a prompt ${name} already; save a version of it, or choose another name`)
    if ((await countPrompts(tx, workspaceId, componentId)) >= PROMPTS_MAX)
      throw conflict(`A component has at most ${PROMPTS_MAX} prompts; delete one first`)
    const id = newId()
    const createdAt = createdAtOf(id)
    await insertPrompt(tx, { workspaceId, id, componentId, name, description, createdAt })
    return { id, name, description, createdAt, updatedAt: createdAt }
  })
}

export async function describePrompt(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  by: Principal,
  { description, ...target }: PromptTarget & { description: string | null },
) {
  const { workspaceId } = by
  return db.transaction(async (tx) => {
    await lockActivePrompt(tx, by, target)
    await updatePrompt(tx, { workspaceId, ...target }, { description, updatedAt: timestamp(clock.now()) })
    const [prompt] = await findPrompt(tx, { workspaceId, ...target })
    return prompt
  })
}

export async function deletePrompt({ db, ...context }: ChangeContext, by: Principal, target: PromptTarget) {
  const { workspaceId } = by
  const { promptId } = target
  await db.transaction(async (tx) => {
    await lockActivePrompt(tx, by, target)
    // Otherwise the protection of a label could be avoided by deleting its prompt.
    for (const label of await findLabels(tx, { workspaceId, promptId })) requireRemover(by, label)
    const deletedAt = timestamp(context.clock.now())
    await updatePrompt(tx, { workspaceId, promptId }, { deletedAt, updatedAt: deletedAt })
    await enqueuePurge(tx, context, { workspaceId, what: 'prompt', id: promptId })
    await recordAudit(tx, context, { by, workspaceId, action: 'prompt.deleted', resourceId: promptId })
  })
}

/** Locks a prompt and its component until the transaction ends; throws 404 if one of them does not exist. */
export async function lockActivePrompt(tx: Queries, { workspaceId }: Principal, target: PromptTarget) {
  const hasComponent = await lockComponent(tx, workspaceId, target.componentId)
  const prompt = hasComponent ? await lockPrompt(tx, { workspaceId, ...target }) : undefined
  if (!prompt) throw notFound('Prompt')
  return { ...prompt, workspaceId, promptId: target.promptId }
}

/** Throws 404 unless the prompt exists. */
export async function requirePromptOf(q: Queries, { workspaceId }: Principal, target: PromptTarget) {
  const [prompt] = await findPrompt(q, { workspaceId, ...target })
  if (!prompt) throw notFound('Prompt')
  return prompt
}

/** The same for reading what belongs to it. */
export async function requirePrompt(q: Queries, by: Principal, { componentId, promptId }: PromptTarget) {
  const { name } = await requirePromptOf(q, by, { componentId, promptId })
  return { name, workspaceId: by.workspaceId, promptId }
}
