import { badRequest, notFound } from '../../base/errors.ts'
import { ComponentParams } from '../../components/component-schemas.ts'
import { cursorOf, isNumber, readLimit } from '../../http/query-parameters.ts'
import { type HttpResponse, ok, type Route, route, streamedWhileRead } from '../../http/route.ts'
import { dollarsOf } from '../../spending/spending-limit.ts'
import { requireTrial } from '../trial-queries.ts'
import { TrialParams } from '../trial-schemas.ts'
import { listVariants, type Variant } from '../variant-queries.ts'
import { findCall, listCalls, listFailures } from './call-list-queries.ts'
import type { CallRow } from './call-queries.ts'
import {
  CALL_STATES,
  CALLS_PAGE,
  CallParams,
  CallQuery,
  CompleteCallBody,
  EndedCall,
  ExtendedLease,
  FailCallBody,
  LeaseBody,
  LeaseCallsBody,
  LeasedCalls,
  TrialCall,
  TrialCallPage,
  TrialFailures,
} from './call-schemas.ts'
import type { EndDeps } from './end-call.ts'
import { type LeaseRequest, leaseWhenDue, requireWork } from './lease-calls.ts'
import { readTracesOfCalls } from './traces-of-calls.ts'
import { completeLeasedCall, extendLeasedCall, failLeasedCall, releaseLeasedCall } from './worker-calls.ts'

const tag = 'Trials'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

export type CallDeps = Pick<EndDeps, 'ingest' | 'retryPauseMs'>

export function trialCallRoutes(deps: CallDeps): Route[] {
  return [
    getCalls,
    getCall,
    getFailures,
    postLease(deps),
    postTrialLease(deps),
    postComplete(deps),
    postFail(deps),
    postExtend(deps),
    postRelease(deps),
  ]
}

const cursors = cursorOf({ number: isNumber })
const FAILURES_MAX = 100

const getCalls = route({
  method: 'GET',
  path: '/components/:componentId/trials/:trialId/calls',
  access: reading,
  summary: 'List the calls of a trial in their order: by item, variant and repetition',
  tag,
  params: TrialParams,
  query: CallQuery,
  responses: { 200: TrialCallPage },
  handle: async ({ db, principal: { workspaceId }, params, query }) => {
    const { trialId } = params
    const state = CALL_STATES.find((known) => known === query.state)
    if (query.state !== undefined && state === undefined)
      throw badRequest(`The query parameter state must be one of ${CALL_STATES.join(', ')}`)
    const limit = readLimit(query.limit, CALLS_PAGE)
    const after = cursors.read(query.cursor)?.number ?? 0
    const trial = await requireTrial(db.read, { workspaceId, ...params })
    const of = { workspaceId, trialId }
    const variants = await listVariants(db.read, of)
    const variant = query.variant === undefined ? undefined : requireVariant(variants, query.variant).number
    const found = await listCalls(db.read, of, {
      ...(state && { state }),
      ...(variant !== undefined && { variant }),
      after,
      limit,
    })
    const data = found.slice(0, limit)
    const last = found.length > limit ? data.at(-1) : undefined
    const traceOf = await readTracesOfCalls(db.read, trial, { variants, calls: data })
    return ok({
      data: data.map((call) => ({ ...describeCall(variants, call), traceId: traceOf(call) })),
      nextCursor: last ? cursors.write({ number: last.number }) : null,
    })
  },
})

const getCall = route({
  method: 'GET',
  path: '/components/:componentId/trials/:trialId/calls/:callId',
  access: reading,
  summary: 'Get a call of a trial',
  tag,
  params: CallParams,
  responses: { 200: TrialCall },
  handle: async ({ db, principal: { workspaceId }, params }) => {
    const { trialId, callId } = params
    const trial = await requireTrial(db.read, { workspaceId, ...params })
    const of = { workspaceId, trialId }
    const call = await findCall(db.read, { ...of, number: Number(callId) })
    if (!call) throw notFound('Call')
    const variants = await listVariants(db.read, of)
    const traceOf = await readTracesOfCalls(db.read, trial, { variants, calls: [call] })
    return ok({ ...describeCall(variants, call), traceId: traceOf(call) })
  },
})

const getFailures = route({
  method: 'GET',
  path: '/components/:componentId/trials/:trialId/failures',
  access: reading,
  summary: 'Get the failed calls of a trial by variant and reason, and whether a retry sends them again',
  tag,
  params: TrialParams,
  responses: { 200: TrialFailures },
  handle: async ({ db, principal: { workspaceId }, params }) => {
    await requireTrial(db.read, { workspaceId, ...params })
    const of = { workspaceId, trialId: params.trialId }
    const variants = await listVariants(db.read, of)
    const groups = await listFailures(db.read, of, FAILURES_MAX)
    return ok({
      data: groups.map(({ variant: number, reason, isRetryable, calls }) => {
        const variant = variants.find((one) => one.number === number)
        const retryable = isRetryable || variant?.brokenReason !== null
        return { variant: variant?.name ?? '', reason, retryable, calls }
      }),
    })
  },
})

function postLease(deps: CallDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/calls/lease',
    access: editing,
    summary: 'Lease the next calls of a queue, of all trials of a component; waits for them if asked to',
    tag,
    params: ComponentParams,
    body: LeaseCallsBody,
    responses: { 200: LeasedCalls },
    // A lease whose response is lost ends by itself, and its calls are leased again.
    isRepeatable: true,
    handle: async ({ principal: { workspaceId }, params, body, ...context }) =>
      lease({ ...context, ...deps }, { workspaceId, ...params, ...leasing(body) }),
  })
}

function postTrialLease(deps: CallDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/trials/:trialId/calls/lease',
    access: editing,
    summary: 'Lease the next calls of a queue of one trial; waits for them if asked to',
    tag,
    params: TrialParams,
    body: LeaseCallsBody,
    responses: { 200: LeasedCalls },
    isRepeatable: true,
    handle: async ({ principal: { workspaceId }, params, body, ...context }) =>
      lease({ ...context, ...deps }, { workspaceId, ...params, ...leasing(body) }),
  })
}

function leasing({ queue, max = 1, waitSeconds = 0 }: { queue: string; max?: number; waitSeconds?: number }) {
  return { queue, max, waitSeconds }
}

/** A response that waits is a stream: its request has ended for the server, and delays no other one of the caller. */
async function lease(deps: Parameters<typeof leaseWhenDue>[0], request: LeaseRequest): Promise<HttpResponse> {
  await requireWork(deps.db.read, request)
  if (request.waitSeconds === 0) return ok(await leaseWhenDue(deps, request))
  return streamedWhileRead('application/json; charset=utf-8', async function* (isRead) {
    yield JSON.stringify(await leaseWhenDue(deps, request, isRead))
  })
}

function postComplete(deps: CallDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/trials/:trialId/calls/:callId/complete',
    access: editing,
    summary: 'Return the output of a leased call; 409 if the lease is not the current one',
    tag,
    params: CallParams,
    body: CompleteCallBody,
    responses: { 200: EndedCall },
    handle: async ({ principal: { workspaceId }, params, body, ...context }) =>
      ok(await completeLeasedCall({ ...context, ...deps }, { ...scopeOf(workspaceId, params), ...body })),
  })
}

function postFail(deps: CallDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/trials/:trialId/calls/:callId/fail',
    access: editing,
    summary: 'Report that a leased call failed; a transient error is tried again, up to five times',
    tag,
    params: CallParams,
    body: FailCallBody,
    responses: { 200: EndedCall },
    handle: async ({ principal: { workspaceId }, params, body: { transient = false, ...body }, ...context }) => {
      const failed = { ...scopeOf(workspaceId, params), ...body, isTransient: transient }
      return ok(await failLeasedCall({ ...context, ...deps }, failed))
    },
  })
}

function postExtend(deps: CallDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/trials/:trialId/calls/:callId/extend',
    access: editing,
    summary: 'Extend the lease of a call to 60 seconds from now',
    tag,
    params: CallParams,
    body: LeaseBody,
    responses: { 200: ExtendedLease },
    handle: async ({ principal: { workspaceId }, params, body, ...context }) =>
      ok(await extendLeasedCall({ ...context, ...deps }, { ...scopeOf(workspaceId, params), ...body })),
  })
}

function postRelease(deps: CallDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/trials/:trialId/calls/:callId/release',
    access: editing,
    summary: 'Return a leased call to its queue, so that other workers get it at once; it uses no attempt',
    tag,
    params: CallParams,
    body: LeaseBody,
    responses: { 200: EndedCall },
    handle: async ({ principal: { workspaceId }, params, body, ...context }) =>
      ok(await releaseLeasedCall({ ...context, ...deps }, { ...scopeOf(workspaceId, params), ...body })),
  })
}

function scopeOf(workspaceId: string, { callId, ...params }: { componentId: string; trialId: string; callId: string }) {
  return { workspaceId, ...params, number: Number(callId) }
}

export function requireVariant(variants: readonly Variant[], name: string, parameter = 'variant'): Variant {
  const found = variants.find((variant) => variant.name === name)
  if (found) return found
  throw badRequest(`The query parameter ${parameter} must be the name of a variant of the trial`)
}

function describeCall(variants: readonly Variant[], call: CallRow) {
  const { number, variant, itemId, repetition, state, attempt, nanoUsd, durationMs, reason, isRetryable } = call
  const of = variants.find((one) => one.number === variant)
  const isEnded = state === 'failed' || state === 'skipped'
  const isOfBroken = state === 'failed' && of !== undefined && of.brokenReason !== null
  return {
    id: number,
    variant: of?.name ?? '',
    itemId,
    repetition,
    state,
    attempt,
    costUsd: dollarsOf(nanoUsd),
    durationMs,
    reason,
    retryable: isEnded && (isRetryable === 1 || isOfBroken),
  }
}
