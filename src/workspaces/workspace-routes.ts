import { Type } from 'typebox'
import { deleteAllApiKeys } from '../auth/api-keys/api-key-queries.ts'
import { recordAudit } from '../auth/audit/audit.ts'
import { insertMember } from '../auth/members/member-queries.ts'
import { timestamp } from '../base/clock.ts'
import { conflict, notFound } from '../base/errors.ts'
import { created, list, noContent, ok, type Route, route } from '../http/route.ts'
import { Count, closed, listOf, orNull, Timestamp } from '../http/schemas.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import { dayOf, nextDay, type QuotaLimits } from './quotas.ts'
import { findUsage } from './usage-queries.ts'
import {
  countOwnedWorkspaces,
  findWorkspace,
  insertWorkspace,
  listWorkspacesOfUser,
  lockUser,
  markWorkspaceDeleted,
  updateWorkspace,
} from './workspace-queries.ts'
import { ChangeWorkspaceBody, CreateWorkspaceBody, Workspace, WorkspaceParams } from './workspace-schemas.ts'

const tag = 'Workspaces'

export function workspaceRoutes(limits: { workspacesPerPersonMax: number; quotas: QuotaLimits }): Route[] {
  return [
    workspaceOfCaller('/workspace'),
    getUsage(limits.quotas),
    workspacesOfCaller('/workspaces'),
    postWorkspace(limits.workspacesPerPersonMax),
    patchWorkspace,
    deleteWorkspace,
  ]
}

/** The same resources are available under both of their names. */
export function aiApplicationRoutes(): Route[] {
  return [workspaceOfCaller('/ai-application'), workspacesOfCaller('/ai-applications')]
}

function workspaceOfCaller(path: '/workspace' | '/ai-application'): Route {
  return route({
    method: 'GET',
    path,
    ignoresOtherParameters: true,
    access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
    summary: 'Get the current workspace',
    tag,
    responses: { 200: Workspace },
    handle: async ({ db, principal }) => {
      const workspace = await findWorkspace(db.read, principal.workspaceId)
      if (!workspace) throw notFound('Workspace')
      return ok(workspace)
    },
  })
}

function workspacesOfCaller(path: '/workspaces' | '/ai-applications'): Route {
  return route({
    method: 'GET',
    path,
    ignoresOtherParameters: true,
    access: { auth: 'session' },
    summary: 'List the workspaces of the current user, newest first',
    tag,
    paged: true,
    responses: { 200: listOf(Workspace) },
    handle: async ({ db, caller, page }) => list(await listWorkspacesOfUser(db.read, caller.userId, page)),
  })
}

const limit = orNull(Type.Integer({ minimum: 1 }))
const Used = closed({ used: Count, limit }, { title: 'QuotaUse' })

const WorkspaceUsage = closed(
  { resetsAt: Timestamp, spansToday: Used, evaluationsToday: Used, storedBytes: Used },
  { title: 'WorkspaceUsage' },
)

function getUsage(limits: QuotaLimits): Route {
  return route({
    method: 'GET',
    path: '/workspace/usage',
    access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
    summary: 'Get the usage and the quotas of the current workspace',
    tag,
    responses: { 200: WorkspaceUsage },
    handle: async ({ db, clock, principal }) => {
      const usage = await findUsage(db.read, principal.workspaceId, dayOf(clock))
      return ok({
        resetsAt: timestamp(nextDay(clock)),
        spansToday: { used: usage.spans, limit: limits.spansPerDay ?? null },
        evaluationsToday: { used: usage.evaluations, limit: limits.evaluationsPerDay ?? null },
        storedBytes: { used: Math.max(0, usage.storedBytes), limit: limits.storedBytes ?? null },
      })
    },
  })
}

/** `ownedMax` limits the workspaces per owner: each needs memory and disk space, and every user may create them. */
function postWorkspace(ownedMax: number) {
  return route({
    method: 'POST',
    path: '/workspaces',
    access: { auth: 'session' },
    summary: 'Create a workspace; the caller becomes its owner',
    tag,
    body: CreateWorkspaceBody,
    responses: { 201: Workspace },
    handle: async ({ db, caller, body, ...context }) =>
      created(
        await db.transaction(async (tx) => {
          await lockUser(tx, caller.userId)
          if ((await countOwnedWorkspaces(tx, caller.userId)) >= ownedMax)
            throw conflict(`You own ${ownedMax} workspaces, which is the limit`)
          const createdAt = timestamp(context.clock.now())
          const { name, description = null } = body
          const workspace = await insertWorkspace(tx, { id: context.newId(), name, description, createdAt })
          await insertMember(tx, { workspaceId: workspace.id, userId: caller.userId, role: 'owner', createdAt })
          const { id } = workspace
          await recordAudit(tx, context, { by: caller, workspaceId: id, action: 'workspace.created', resourceId: id })
          return workspace
        }),
      ),
  })
}

const patchWorkspace = route({
  method: 'PATCH',
  path: '/workspaces/:workspaceId',
  access: { auth: 'session', workspace: 'path', role: 'admin' },
  summary: 'Update the name or the description of a workspace',
  tag,
  params: WorkspaceParams,
  body: ChangeWorkspaceBody,
  responses: { 200: Workspace },
  handle: async ({ db, principal, body, ...context }) =>
    ok(
      await db.transaction(async (tx) => {
        const { workspaceId } = principal
        const workspace = await updateWorkspace(tx, workspaceId, { ...body, updatedAt: timestamp(context.clock.now()) })
        if (!workspace) throw notFound('Workspace')
        await recordAudit(tx, context, {
          by: principal,
          workspaceId,
          action: 'workspace.changed',
          resourceId: workspaceId,
        })
        return workspace
      }),
    ),
})

const deleteWorkspace = route({
  method: 'DELETE',
  path: '/workspaces/:workspaceId',
  access: { auth: 'session', workspace: 'path', role: 'owner' },
  summary: 'Delete a workspace with everything in it',
  tag,
  params: WorkspaceParams,
  responses: { 204: null },
  handle: async ({ db, principal, ...context }) => {
    await db.transaction(async (tx) => {
      const { workspaceId } = principal
      if (!(await markWorkspaceDeleted(tx, workspaceId, timestamp(context.clock.now())))) throw notFound('Workspace')
      await deleteAllApiKeys(tx, workspaceId)
      await enqueuePurge(tx, context, { workspaceId, what: 'workspace', id: workspaceId })
      await recordAudit(tx, context, {
        by: principal,
        workspaceId,
        action: 'workspace.deleted',
        resourceId: workspaceId,
      })
    })
    return noContent()
  },
})
