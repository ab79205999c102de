import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { created, list, noContent, ok, route } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import { createRun } from './create-run.ts'
import { findTracesToLink, linkTraces, linkTracesFromQuery } from './link-traces.ts'
import { findRun, listRuns, markRunDeleted, updateRunName } from './run-queries.ts'
import {
  ChangeRunBody,
  CreateRunBody,
  LinkedFromQuery,
  LinkFromQueryBody,
  LinkTracesBody,
  Run,
  RunParams,
  RunTrace,
} from './run-schemas.ts'
import { readRunTraces } from './run-traces.ts'

const tag = 'Runs'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const getRuns = route({
  method: 'GET',
  path: '/components/:componentId/runs',
  ignoresOtherParameters: true,
  access: reading,
  summary: 'List the runs of a component, newest first',
  tag,
  params: ComponentParams,
  paged: true,
  responses: { 200: listOf(Run) },
  handle: async ({ db, principal, params, page }) =>
    list(await listRuns(db.read, { workspaceId: principal.workspaceId, ...params, ...page })),
})

const postRun = route({
  method: 'POST',
  path: '/components/:componentId/runs',
  ignoresOtherParameters: true,
  access: editing,
  summary: 'Create a run on a dataset, optionally with traces',
  tag,
  params: ComponentParams,
  body: CreateRunBody,
  responses: { 201: Run },
  handle: async ({ principal, params, body, ...context }) =>
    created(await createRun(context, { workspaceId: principal.workspaceId, ...params, ...body })),
})

const getRun = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId',
  ignoresOtherParameters: true,
  access: reading,
  summary: 'Get a run',
  tag,
  params: RunParams,
  responses: { 200: Run },
  handle: async ({ db, principal, params }) => {
    const [run] = await findRun(db.read, { workspaceId: principal.workspaceId, ...params })
    if (!run) throw notFound('Run')
    return ok(run)
  },
})

const patchRun = route({
  method: 'PATCH',
  path: '/components/:componentId/runs/:runId',
  access: editing,
  summary: 'Rename a run',
  tag,
  params: RunParams,
  body: ChangeRunBody,
  responses: { 200: Run },
  handle: async ({ db, principal, params, body }) => {
    const { workspaceId } = principal
    const run = await db.transaction(async (tx) => {
      const [known] = await findRun(tx, { workspaceId, ...params })
      const name = body.name ?? null
      if (!known || !(await updateRunName(tx, { workspaceId, ...params, name }))) throw notFound('Run')
      return { ...known, name }
    })
    return ok(run)
  },
})

const deleteRun = route({
  method: 'DELETE',
  path: '/components/:componentId/runs/:runId',
  ignoresOtherParameters: true,
  access: editing,
  summary: 'Delete a run with its annotations',
  tag,
  params: RunParams,
  responses: { 204: null },
  handle: async ({ db, principal, params, ...context }) => {
    const { workspaceId } = principal
    const { runId } = params
    await db.transaction(async (tx) => {
      // Read without a lock, so that two requests that delete the same run do not deadlock.
      const [isThere] = await findRun(tx, { workspaceId, ...params })
      const deletedAt = timestamp(context.clock.now())
      if (!isThere || !(await markRunDeleted(tx, { workspaceId, runId, deletedAt }))) throw notFound('Run')
      await enqueuePurge(tx, context, { workspaceId, what: 'run', id: runId })
      await recordAudit(tx, context, { by: principal, workspaceId, action: 'run.deleted', resourceId: runId })
    })
    return noContent()
  },
})

const getRunTraces = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/traces',
  access: reading,
  summary: 'List the traces of a run, most recently linked first',
  tag,
  params: RunParams,
  paged: true,
  responses: { 200: listOf(RunTrace) },
  handle: async ({ db, principal, params, page }) =>
    list(await readRunTraces(db.read, { workspaceId: principal.workspaceId, ...params, ...page })),
})

const postRunTraces = route({
  method: 'POST',
  path: '/components/:componentId/runs/:runId/traces',
  access: editing,
  summary: 'Link traces to a run',
  tag,
  params: RunParams,
  body: LinkTracesBody,
  responses: { 200: Run },
  handle: async ({ principal, params, body, ...context }) =>
    ok(await linkTraces(context, { workspaceId: principal.workspaceId, ...params, ...body })),
})

const postRunTracesFromQuery = route({
  method: 'POST',
  path: '/components/:componentId/runs/:runId/traces/from-query',
  access: editing,
  summary: 'Link the newest traces that match a query to a run',
  tag,
  params: RunParams,
  body: LinkFromQueryBody,
  responses: { 200: LinkedFromQuery },
  prepare: async ({ principal, params, body, ...context }) =>
    findTracesToLink(context, { workspaceId: principal.workspaceId, ...params }, body),
  handle: async ({ principal, params, prepared: traceIds, ...context }) =>
    ok(await linkTracesFromQuery(context, { workspaceId: principal.workspaceId, ...params, traceIds })),
})

export const runRoutes = [getRuns, postRun, getRun, patchRun, deleteRun]

export const runTraceRoutes = [getRunTraces, postRunTraces, postRunTracesFromQuery]
