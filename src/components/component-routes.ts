import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { forbidden, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { isAtLeast, type Principal } from '../base/principal.ts'
import { created, list, noContent, ok, route } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import type { Queries } from '../storage/db.ts'
import {
  findComponent,
  findProtectedLabel,
  insertComponent,
  listComponents,
  markComponentDeleted,
  updateComponent,
} from './component-queries.ts'
import {
  ChangeComponentBody,
  Component,
  ComponentParams,
  CreateComponentBody,
  CreatedComponent,
} from './component-schemas.ts'

const tag = 'Components'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const getComponents = route({
  method: 'GET',
  path: '/components',
  ignoresOtherParameters: true,
  access: reading,
  summary: 'List the components of the workspace, newest first',
  tag,
  paged: true,
  responses: { 200: listOf(Component) },
  handle: async ({ db, principal, page }) =>
    list(await listComponents(db.read, { workspaceId: principal.workspaceId, ...page })),
})

const postComponent = route({
  method: 'POST',
  path: '/components',
  ignoresOtherParameters: true,
  access: editing,
  summary: 'Create a component',
  tag,
  body: CreateComponentBody,
  responses: { 201: CreatedComponent },
  handle: async ({ db, principal, body, newId }) => {
    const id = newId()
    const { name, description = null } = body
    const createdAt = createdAtOf(id)
    await db.transaction((tx) =>
      insertComponent(tx, { workspaceId: principal.workspaceId, id, name, description, createdAt }),
    )
    return created({ id })
  },
})

const getComponent = route({
  method: 'GET',
  path: '/components/:componentId',
  ignoresOtherParameters: true,
  access: reading,
  summary: 'Get a component',
  tag,
  params: ComponentParams,
  responses: { 200: Component },
  handle: async ({ db, principal, params }) => {
    const [component] = await findComponent(db.read, { workspaceId: principal.workspaceId, ...params })
    if (!component) throw notFound('Component')
    return ok(component)
  },
})

const patchComponent = route({
  method: 'PATCH',
  path: '/components/:componentId',
  access: editing,
  summary: 'Update the name or the description of a component',
  tag,
  params: ComponentParams,
  body: ChangeComponentBody,
  responses: { 200: Component },
  handle: async ({ db, principal, params, body, clock }) => {
    const { workspaceId } = principal
    const component = await db.transaction((tx) =>
      updateComponent(tx, { workspaceId, ...params }, { ...body, updatedAt: timestamp(clock.now()) }),
    )
    if (!component) throw notFound('Component')
    return ok(component)
  },
})

const deleteComponent = route({
  method: 'DELETE',
  path: '/components/:componentId',
  ignoresOtherParameters: true,
  access: editing,
  summary: 'Delete a component with its datasets, runs, annotations and evaluations',
  tag,
  params: ComponentParams,
  responses: { 204: null },
  handle: async ({ db, principal, params, ...context }) => {
    const { workspaceId } = principal
    const { componentId } = params
    await db.transaction(async (tx) => {
      const deletedAt = timestamp(context.clock.now())
      if (!(await markComponentDeleted(tx, { workspaceId, componentId, deletedAt }))) throw notFound('Component')
      // After the component is locked, so that no label is protected meanwhile.
      if (!isAtLeast(principal.role, 'admin')) await rejectProtected(tx, { ...principal, componentId })
      await enqueuePurge(tx, context, { workspaceId, what: 'component', id: componentId })
      await recordAudit(tx, context, {
        by: principal,
        workspaceId,
        action: 'component.deleted',
        resourceId: componentId,
      })
    })
    return noContent()
  },
})

/** Otherwise the protection of a label could be avoided by deleting and creating its component. */
async function rejectProtected(
  tx: Queries,
  { workspaceId, role, componentId }: Pick<Principal, 'workspaceId' | 'role'> & { componentId: string },
): Promise<void> {
  const found = await findProtectedLabel(tx, { workspaceId, componentId })
  if (!found) return
  throw forbidden(
    `Label ${found.label} of prompt ${found.prompt} is protected: deleting the component requires the role admin in a session; yours is ${role}`,
  )
}

export const componentRoutes = [getComponents, postComponent, getComponent, patchComponent, deleteComponent]
