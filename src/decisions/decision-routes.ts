import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import { downloadedReport } from '../comparisons/report/report-response.ts'
import { findComponent } from '../components/component-queries.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { readUuid } from '../http/query-parameters.ts'
import { created, noContent, ok, type Route, route } from '../http/route.ts'
import { ErrorBody } from '../http/schemas.ts'
import { readKeysetPage } from '../overviews/keyset-page.ts'
import { deleteDecision, findDecision } from './decision-queries.ts'
import {
  ChangeSharing,
  CreatedLink,
  CreateLink,
  DecisionDetail,
  DecisionParams,
  Decisions,
  DecisionsQuery,
  LinkParams,
  RecordDecision,
  SharedLinks,
  Sharing,
} from './decision-schemas.ts'
import { decisionReport, readDecision, readDecisions } from './read-decisions.ts'
import { measureDecision, recordDecision } from './record-decision.ts'
import { createSharedLink, removeSharedLink } from './share-decision.ts'
import { areLinksAllowed, countActiveLinks, listSharedLinks, saveLinksAllowed } from './shared-link-queries.ts'

const tag = 'Decisions'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
/** A person decides to publish, not a program. */
const sharing = { auth: 'session', workspace: 'header', role: 'editor' } as const

export function decisionRoutes({ publicUrl }: { publicUrl: string }): Route[] {
  return [
    getDecisions,
    postDecision,
    getDecision,
    removeDecision,
    getDecisionReport,
    getLinks,
    postLink(publicUrl),
    removeLink,
    getSharing,
    patchSharing,
  ]
}

const getDecisions = route({
  method: 'GET',
  path: '/components/:componentId/decisions',
  access: reading,
  summary: 'List decisions on comparisons, newest first',
  tag,
  params: ComponentParams,
  query: DecisionsQuery,
  responses: { 200: Decisions },
  handle: async ({ db, principal, params: { componentId }, query }) => {
    const { workspaceId } = principal
    const [component] = await findComponent(db.read, { workspaceId, componentId })
    if (!component) throw notFound('Component')
    const idOf = (name: 'baseline_run_id' | 'candidate_run_id') => {
      const text = query[name]
      return text === undefined ? undefined : readUuid(name, text)
    }
    const runs = { baselineRunId: idOf('baseline_run_id'), candidateRunId: idOf('candidate_run_id') }
    return ok(await readDecisions(db.read, principal, { componentId, ...runs, ...readKeysetPage(query) }))
  },
})

const postDecision = route({
  method: 'POST',
  path: '/components/:componentId/decisions',
  access: { auth: 'key-or-session', workspace: 'header', role: 'annotator' },
  summary: 'Record a decision on two runs together with the numbers of their comparison',
  tag,
  params: ComponentParams,
  body: RecordDecision,
  responses: { 201: DecisionDetail },
  prepare: async ({ db, clock, principal, params, body }) => {
    const { workspaceId, userId } = principal
    const { decision: _, note: __, ...compared } = body
    return measureDecision({ db, clock }, { workspaceId, ...params, ...compared, readerId: userId })
  },
  handle: async ({ principal, params, body, prepared, ...context }) => {
    const { decision, note = '' } = body
    const decisionId = await recordDecision(context, principal, { ...params, decision, note, found: prepared })
    return created(await readDecision(context.db.read, principal, { ...params, decisionId }))
  },
})

const getDecision = route({
  method: 'GET',
  path: '/components/:componentId/decisions/:decisionId',
  access: reading,
  summary: 'Get a decision with the comparison that it was made on',
  tag,
  params: DecisionParams,
  responses: { 200: DecisionDetail },
  handle: async ({ db, principal, params }) => ok(await readDecision(db.read, principal, params)),
})

const removeDecision = route({
  method: 'DELETE',
  path: '/components/:componentId/decisions/:decisionId',
  access: { auth: 'session', workspace: 'header', role: 'admin' },
  summary: 'Delete a decision with its shared links',
  tag,
  params: DecisionParams,
  responses: { 204: null },
  handle: async ({ db, principal, params, ...context }) => {
    const { workspaceId } = principal
    await db.transaction(async (tx) => {
      if (!(await deleteDecision(tx, { workspaceId, ...params }))) throw notFound('Decision')
      const event = { by: principal, workspaceId, action: 'decision.deleted', resourceId: params.decisionId } as const
      await recordAudit(tx, context, event)
    })
    return noContent()
  },
})

const getDecisionReport = route({
  method: 'GET',
  path: '/components/:componentId/decisions/:decisionId/report',
  access: reading,
  summary: 'Download a decision with its comparison as one HTML file',
  tag,
  params: DecisionParams,
  streams: ['text/html'],
  responses: { 200: null },
  handle: async ({ db, principal, params }) => {
    const { comparison, author, ...decision } = await readDecision(db.read, principal, params)
    return downloadedReport(decisionReport(comparison, { ...decision, authorName: author.name }), 'decision.html')
  },
})

const getLinks = route({
  method: 'GET',
  path: '/components/:componentId/decisions/:decisionId/links',
  access: reading,
  summary: 'List the shared links of a decision, newest first',
  tag,
  params: DecisionParams,
  responses: { 200: SharedLinks },
  handle: async ({ db, principal: { workspaceId }, params }) => {
    if (!(await findDecision(db.read, { workspaceId, ...params }))) throw notFound('Decision')
    return ok({ data: await listSharedLinks(db.read, { workspaceId, ...params }) })
  },
})

function postLink(publicUrl: string): Route {
  return route({
    method: 'POST',
    path: '/components/:componentId/decisions/:decisionId/links',
    access: sharing,
    summary: 'Create a link that shows a decision without an account; the URL is returned only here',
    tag,
    params: DecisionParams,
    body: CreateLink,
    returnsSecret: true,
    responses: { 201: CreatedLink, 409: ErrorBody },
    handle: async ({ principal, params, body, ...context }) => {
      const { token, link } = await createSharedLink(context, principal, { ...params, ...body })
      return created({ ...link, url: `${publicUrl}/shared/${token}` })
    },
  })
}

const removeLink = route({
  method: 'DELETE',
  path: '/components/:componentId/decisions/:decisionId/links/:linkId',
  access: sharing,
  summary: 'Revoke a shared link',
  tag,
  params: LinkParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await removeSharedLink(context, principal, params)
    return noContent()
  },
})

const getSharing = route({
  method: 'GET',
  path: '/sharing',
  access: reading,
  summary: 'Get whether decisions of the application can be shared by links without an account',
  tag,
  responses: { 200: Sharing },
  handle: async ({ db, clock, principal: { workspaceId } }) => {
    const now = timestamp(clock.now())
    const activeLinks = await countActiveLinks(db.read, { workspaceId, now })
    return ok({ linksAllowed: await areLinksAllowed(db.read, workspaceId), activeLinks })
  },
})

const patchSharing = route({
  method: 'PATCH',
  path: '/sharing',
  access: { auth: 'session', workspace: 'header', role: 'admin' },
  summary: 'Allow shared links, or stop all of them',
  tag,
  body: ChangeSharing,
  responses: { 200: Sharing },
  handle: async ({ db, clock, principal, body: { linksAllowed }, ...context }) => {
    const { workspaceId } = principal
    const activeLinks = await db.transaction(async (tx) => {
      await saveLinksAllowed(tx, workspaceId, linksAllowed)
      const detail = linksAllowed ? 'links allowed' : 'links not allowed'
      const event = { by: principal, workspaceId, action: 'sharing.changed', resourceId: workspaceId, detail } as const
      await recordAudit(tx, context, event)
      return countActiveLinks(tx, { workspaceId, now: timestamp(clock.now()) })
    })
    return ok({ linksAllowed, activeLinks })
  },
})
