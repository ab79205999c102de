import { runInSlices } from '../base/event-loop.ts'
import { created, noContent, ok, type Route, route } from '../http/route.ts'
import { requirePrompt } from './change-prompt.ts'
import { diffVersions } from './diff-versions.ts'
import { findLabels } from './label-queries.ts'
import { numberPage, PageQuery, readNumberPage } from './prompt-pages.ts'
import {
  DiffQuery,
  PromptDiff,
  PromptParams,
  PromptVersion,
  PromptVersionPage,
  SaveVersionBody,
  VersionParams,
} from './prompt-schemas.ts'
import { type MeasureVerdicts, recordReadings } from './required-verdicts.ts'
import { deleteVersion, findMoves, labelsOf, noVersion, saveVersion } from './save-version.ts'
import { prepareContent } from './version-content.ts'
import { findVersion, listVersionsBefore } from './version-queries.ts'

const tag = 'Prompts'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const
const path = '/components/:componentId/prompts/:promptId/versions'

export function versionRoutes(deps: { measureVerdicts: MeasureVerdicts }): Route[] {
  return [postVersion(deps), ...others]
}

function postVersion({ measureVerdicts }: { measureVerdicts: MeasureVerdicts }): Route {
  return route({
    method: 'POST',
    path,
    access: editing,
    summary: 'Save a version of a prompt; 200 with the existing version if its content is the same',
    tag,
    params: PromptParams,
    body: SaveVersionBody,
    responses: { 200: PromptVersion, 201: PromptVersion },
    prepare: async ({ db, clock, principal, params, body: { content: given, labels = [], evidence } }) => {
      const content = prepareContent(given)
      const { workspaceId } = principal
      const verdicts =
        labels.length === 0
          ? []
          : await measureVerdicts({ db, clock }, principal, {
              ...params,
              moves: await findMoves(db.read, { workspaceId, ...params, hash: content.hash, labels }),
              evidence,
            })
      return { content, verdicts }
    },
    handle: async ({ principal, params, body: { note = null, labels = [] }, prepared, ...context }) => {
      const verdicts = await recordReadings(context, prepared.verdicts)
      const saved = { ...params, content: prepared.content, note, labels, verdicts }
      const { version, isNew } = await saveVersion(context, principal, saved)
      return isNew ? created(version) : ok(version)
    },
  })
}

const others: readonly Route[] = [
  route({
    method: 'GET',
    path,
    access: reading,
    summary: 'List the versions of a prompt without their contents, newest first',
    tag,
    params: PromptParams,
    query: PageQuery,
    responses: { 200: PromptVersionPage },
    handle: async ({ db, principal, params, query }) => {
      const page = readNumberPage(query)
      const prompt = await requirePrompt(db.read, principal, params)
      const labels = await findLabels(db.read, prompt)
      const versions = await listVersionsBefore(db.read, { ...prompt, ...page })
      const rows = versions.map((version) => ({ ...version, labels: labelsOf(version.number, labels) }))
      return ok(numberPage(rows, page.limit, ({ number }) => number))
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:number`,
    access: reading,
    summary: 'Get a version of a prompt',
    tag,
    params: VersionParams,
    responses: { 200: PromptVersion },
    handle: async ({ db, principal, params }) => {
      const prompt = await requirePrompt(db.read, principal, params)
      const number = Number(params.number)
      const version = await findVersion(db.read, { ...prompt, number })
      if (!version) throw noVersion(prompt, number)
      return ok({ ...version, labels: labelsOf(number, await findLabels(db.read, prompt)) })
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:number`,
    access: editing,
    summary: 'Delete a version that no label points to; its number is never used again',
    tag,
    params: VersionParams,
    responses: { 204: null },
    handle: async ({ principal, params: { number, ...target }, ...context }) => {
      await deleteVersion(context, principal, { ...target, number: Number(number) })
      return noContent()
    },
  }),
  route({
    method: 'GET',
    path: '/components/:componentId/prompts/:promptId/diff',
    access: reading,
    summary: 'Compare two versions of a prompt: messages word by word, parameters, variables',
    tag,
    params: PromptParams,
    query: DiffQuery,
    responses: { 200: PromptDiff },
    handle: async ({ db, principal, params, query }) => {
      const prompt = await requirePrompt(db.read, principal, params)
      const [from, to] = [Number(query.from), Number(query.to)]
      const [before, after] = [
        await findVersion(db.read, { ...prompt, number: from }),
        await findVersion(db.read, { ...prompt, number: to }),
      ]
      if (!before) throw noVersion(prompt, from)
      if (!after) throw noVersion(prompt, to)
      return ok({ from, to, ...(await runInSlices(diffVersions(before.content, after.content))) })
    },
  }),
]
