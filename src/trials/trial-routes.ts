import { badRequest } from '../base/errors.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { EVENT_STREAM } from '../http/event-stream.ts'
import { readBoolean } from '../http/query-parameters.ts'
import { accepted, list, noContent, ok, type Route, route, streamedWhileRead } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { cancelTrial, deleteTrial, retryTrial } from './change-trial.ts'
import { describeTrial } from './describe-trial.ts'
import { estimateTrial } from './estimate-trial.ts'
import { type PlanDeps, readPlan } from './read-plan.ts'
import { startTrial } from './start-trial.ts'
import { StartTrialBody, StartTrialQuery, TrialEstimate } from './start-trial-schemas.ts'
import { trialEvents } from './trial-events.ts'
import { listTrials, requireTrial } from './trial-queries.ts'
import { AcceptedTrial, Trial, TrialDetail, TrialParams } from './trial-schemas.ts'

const tag = 'Trials'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

export function trialRoutes(deps: PlanDeps): Route[] {
  return [getTrials, postTrial(deps), getTrial, removeTrial, postTrialCancel, postTrialRetry, getTrialEvents]
}

const getTrials = route({
  method: 'GET',
  path: '/components/:componentId/trials',
  access: reading,
  summary: 'List the trials of a component, newest first',
  tag,
  params: ComponentParams,
  paged: true,
  responses: { 200: listOf(Trial) },
  handle: async ({ db, principal, params, page }) =>
    list(await listTrials(db.read, { workspaceId: principal.workspaceId, ...params, ...page })),
})

function postTrial(deps: PlanDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/trials',
    access: editing,
    summary:
      'Start a trial in the background: each variant answers each item and fills a run; dry_run=true only estimates it',
    tag,
    params: ComponentParams,
    query: StartTrialQuery,
    body: StartTrialBody,
    responses: { 200: TrialEstimate, 202: AcceptedTrial },
    // Reads the items of the dataset, and opens connections, whose addresses may have to be looked up.
    prepare: async ({ principal, params, query, body, ...context }) => {
      const isDry = query.dry_run !== undefined && readBoolean('dry_run', query.dry_run)
      if (body.resume && body.name === undefined)
        throw badRequest('The field resume needs the field name: the trial is found by it')
      const prepared = await readPlan(context, deps, principal, { ...params, ...body })
      if (!isDry) return { prepared, estimate: undefined }
      const { workspaceId } = principal
      const { datasetId } = body
      return {
        prepared,
        estimate: await estimateTrial({ ...context, ...deps, ...params, workspaceId, datasetId, prepared }),
      }
    },
    handle: async ({
      principal,
      params,
      body: { datasetId, name, resume },
      prepared: { prepared, estimate },
      ...context
    }) =>
      estimate
        ? ok(estimate)
        : accepted(await startTrial(context, principal, { ...params, datasetId, name, resume, prepared })),
  })
}

const getTrial = route({
  method: 'GET',
  path: '/components/:componentId/trials/:trialId',
  access: reading,
  summary: 'Get a trial with its progress, its variants and its cost',
  tag,
  params: TrialParams,
  responses: { 200: TrialDetail },
  handle: async ({ db, clock, principal: { workspaceId }, params }) =>
    ok(await describeTrial({ q: db.read, clock }, await requireTrial(db.read, { workspaceId, ...params }))),
})

const removeTrial = route({
  method: 'DELETE',
  path: '/components/:componentId/trials/:trialId',
  access: editing,
  summary: 'Delete a trial with its calls; it is stopped, and its runs and their traces stay',
  tag,
  params: TrialParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await deleteTrial(context, principal, { workspaceId: principal.workspaceId, ...params })
    return noContent()
  },
})

const postTrialCancel = route({
  method: 'POST',
  path: '/components/:componentId/trials/:trialId/cancel',
  access: editing,
  summary: 'Cancel a trial: it fails with the reason “canceled” and keeps what has ended',
  tag,
  params: TrialParams,
  responses: { 202: TrialDetail },
  handle: async ({ principal, params, ...context }) => {
    const trial = await cancelTrial(context, principal, { workspaceId: principal.workspaceId, ...params })
    return accepted(await describeTrial({ q: context.db.read, clock: context.clock }, trial))
  },
})

const postTrialRetry = route({
  method: 'POST',
  path: '/components/:componentId/trials/:trialId/retry',
  access: editing,
  summary: 'Send the failed calls of a trial again that can succeed, and those that were skipped because it ended',
  tag,
  params: TrialParams,
  responses: { 202: TrialDetail },
  handle: async ({ principal, params, ...context }) => {
    const trial = await retryTrial(context, principal, { workspaceId: principal.workspaceId, ...params })
    return accepted(await describeTrial({ q: context.db.read, clock: context.clock }, trial))
  },
})

const getTrialEvents = route({
  method: 'GET',
  path: '/components/:componentId/trials/:trialId/events',
  access: reading,
  summary: 'Stream the progress of a trial as server-sent events: progress, end',
  tag,
  params: TrialParams,
  streams: [EVENT_STREAM],
  responses: { 200: null },
  handle: async ({ db, clock, principal: { workspaceId }, params, isStillAllowed }) => {
    const { id: trialId } = await requireTrial(db.read, { workspaceId, ...params })
    const of = { workspaceId, trialId }
    return streamedWhileRead(EVENT_STREAM, (isRead) => trialEvents({ db, clock, isStillAllowed, isRead }, of))
  },
})
