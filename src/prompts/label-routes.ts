import { timestamp } from '../base/clock.ts'
import { badRequest } from '../base/errors.ts'
import { readQueryTime } from '../http/query-parameters.ts'
import { noContent, ok, type Route, route } from '../http/route.ts'
import { closed, listOf } from '../http/schemas.ts'
import { deleteLabel, moveLabel, rollBackLabel } from './change-label.ts'
import { requirePrompt } from './change-prompt.ts'
import { findLabel, findLabels, listLabelChangesBefore } from './label-queries.ts'
import { listLivePeriods } from './live-queries.ts'
import { idPage, numberPage, PageQuery, pageParameters, readIdPage, readNumberPage } from './prompt-pages.ts'
import {
  LabelParams,
  LiveQueryTimes,
  MoveLabelBody,
  PromptLabel,
  PromptLabelChangePage,
  PromptLivePage,
  PromptParams,
  RollBackBody,
} from './prompt-schemas.ts'
import { type MeasureVerdicts, recordReadings } from './required-verdicts.ts'
import { noLabel } from './set-label.ts'
import { type ListBlindRuns, withShownEvidence } from './shown-evidence.ts'

const tag = 'Prompts'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const
const path = '/components/:componentId/prompts/:promptId/labels'

const LIVE_DAYS_DEFAULT = 30

type LabelDeps = { measureVerdicts: MeasureVerdicts; listBlindRuns: ListBlindRuns }

export function labelRoutes(deps: LabelDeps): Route[] {
  return [putLabel(deps), ...others, getHistory(deps), getLive(deps)]
}

function putLabel({ measureVerdicts }: LabelDeps): Route {
  return route({
    method: 'PUT',
    path: `${path}/:label`,
    access: editing,
    summary:
      'Let a label serve one version, or several with weights; a protected label requires its role and its verdict',
    tag,
    params: LabelParams,
    body: MoveLabelBody,
    responses: { 200: PromptLabel },
    prepare: async ({ db, clock, principal, params, body: { splits, evidence } }) =>
      measureVerdicts({ db, clock }, principal, { ...params, moves: [{ label: params.label, splits }], evidence }),
    handle: async ({ principal, params, body: { note = null, evidence: _, ...move }, prepared, ...context }) => {
      const verdicts = await recordReadings(context, prepared)
      return ok(await moveLabel(context, principal, { ...params, ...move, note, verdicts }))
    },
  })
}

const others: readonly Route[] = [
  route({
    method: 'GET',
    path,
    access: reading,
    summary: 'List the labels of a prompt by name, with what they serve; also protected ones that serve nothing',
    tag,
    params: PromptParams,
    responses: { 200: listOf(PromptLabel) },
    handle: async ({ db, principal, params }) =>
      ok({ data: await findLabels(db.read, await requirePrompt(db.read, principal, params)) }),
  }),
  route({
    method: 'DELETE',
    path: `${path}/:label`,
    access: editing,
    summary: 'Delete a label: it serves nothing, and its history and protection stay',
    tag,
    params: LabelParams,
    responses: { 204: null },
    handle: async ({ principal, params, ...context }) => {
      await deleteLabel(context, principal, params)
      return noContent()
    },
  }),
  route({
    method: 'POST',
    path: `${path}/:label/rollback`,
    access: editing,
    summary: 'Return a label to what it served before its newest change that is not undone, also if it is protected',
    tag,
    params: LabelParams,
    body: RollBackBody,
    responses: { 200: PromptLabel },
    handle: async ({ principal, params, body: { note = null, ...rest }, ...context }) =>
      ok(await rollBackLabel(context, principal, { ...params, ...rest, note })),
  }),
]

function getHistory({ listBlindRuns }: LabelDeps): Route {
  return route({
    method: 'GET',
    path: `${path}/:label/history`,
    access: reading,
    summary: 'List the changes of a label, newest first',
    tag,
    params: LabelParams,
    query: PageQuery,
    responses: { 200: PromptLabelChangePage },
    handle: async ({ db, principal, params, query }) => {
      const page = readNumberPage(query)
      const prompt = await requirePrompt(db.read, principal, params)
      const label = { ...prompt, label: params.label }
      if (!(await findLabel(db.read, label))) throw noLabel(prompt, params.label)
      const changes = await listLabelChangesBefore(db.read, { ...label, ...page })
      const { data, nextCursor } = numberPage(changes, page.limit, (row) => row.change)
      return ok({ data: await withShownEvidence(db.read, principal, data, listBlindRuns), nextCursor })
    },
  })
}

function getLive({ listBlindRuns }: LabelDeps): Route {
  return route({
    method: 'GET',
    path: '/components/:componentId/prompts/:promptId/live',
    access: reading,
    summary: 'List what the labels of a prompt served in a period, newest first',
    tag,
    params: PromptParams,
    query: closed({ ...LiveQueryTimes, ...pageParameters }),
    responses: { 200: PromptLivePage },
    handle: async ({ db, clock, principal, params, query }) => {
      const page = readIdPage(query)
      // What happens in this millisecond belongs to a period that ends now.
      const toMs = msOf(readQueryTime('to', query.to)) ?? clock.now() + 1
      const fromMs = msOf(readQueryTime('from', query.from)) ?? toMs - LIVE_DAYS_DEFAULT * 86_400_000
      if (fromMs >= toMs) throw badRequest(`The query parameter from must be before to, which is ${timestamp(toMs)}`)
      const prompt = await requirePrompt(db.read, principal, params)
      const { data, nextCursor } = idPage(
        await listLivePeriods(db.read, {
          workspaceId: prompt.workspaceId,
          promptIds: [prompt.promptId],
          fromMs,
          toMs,
          ...page,
        }),
        page.limit,
      )
      const shown = await withShownEvidence(db.read, principal, data, listBlindRuns)
      return ok({ data: shown.map(({ id: _, promptId: __, ...period }) => period), nextCursor })
    },
  })
}

function msOf(ns: bigint | undefined): number | undefined {
  return ns === undefined ? undefined : Number(ns / 1_000_000n)
}
