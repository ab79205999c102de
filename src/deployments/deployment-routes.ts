import { badRequest } from '../base/errors.ts'
import { readUuid } from '../http/query-parameters.ts'
import { ok, type Route, route } from '../http/route.ts'
import type { GivenEvidence } from '../prompts/evidence-schemas.ts'
import { readNumberPage } from '../prompts/prompt-pages.ts'
import { LabelParams, PromptLabel, PromptParams } from '../prompts/prompt-schemas.ts'
import { checkLabel } from './check-label.ts'
import { CheckQuery, DeploymentCheck, ProtectLabelBody, ResultsQuery, VersionResults } from './deployment-schemas.ts'
import { protectLabel } from './protect-label.ts'
import { readResults } from './read-results.ts'

const tag = 'Prompts'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const path = '/components/:componentId/prompts/:promptId'

export const deploymentRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    path: `${path}/labels/:label/protection`,
    access: { auth: 'session', workspace: 'header', role: 'admin' },
    summary: 'Choose the role that moves a label, and the verdict that a version needs; with `admin`, API keys cannot',
    tag,
    params: LabelParams,
    body: ProtectLabelBody,
    responses: { 200: PromptLabel },
    handle: async ({ principal, params, body, ...context }) =>
      ok(await protectLabel(context, principal, { ...params, ...body })),
  }),
  route({
    method: 'GET',
    path: `${path}/labels/:label/check`,
    access: reading,
    summary: 'Get whether a label may give a version a share: conditions, verdict, traffic, and what would open it',
    tag,
    params: LabelParams,
    query: CheckQuery,
    responses: { 200: DeploymentCheck },
    handle: async ({ db, clock, principal, params, query }) => {
      const given = readGiven(query)
      const weight = readWeight(query.weight)
      return ok(
        await checkLabel({ db, clock }, principal, { ...params, version: Number(query.version), weight, given }),
      )
    },
  }),
  route({
    method: 'GET',
    path: `${path}/results`,
    access: reading,
    summary: 'List the result of the newest evaluated run of each version on a dataset, newest version first',
    tag,
    params: PromptParams,
    query: ResultsQuery,
    responses: { 200: VersionResults },
    handle: async ({ db, principal, params, query: { datasetId, metric, ...page } }) =>
      ok(await readResults(db.read, principal, { ...params, datasetId, metric, ...readNumberPage(page) })),
  }),
]

function readWeight(text: string | undefined): number {
  const weight = text === undefined ? 100 : /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (weight >= 0 && weight <= 100) return weight
  throw badRequest('The query parameter weight must be a whole number from 0 to 100')
}

type GivenIds = { [Name in 'decisionId' | 'baselineRunId' | 'candidateRunId']?: string | undefined }

/** The same evidence as in the body of a move. */
function readGiven(query: GivenIds): GivenEvidence | undefined {
  const idOf = (name: keyof GivenIds) => {
    const text = query[name]
    return text === undefined ? undefined : readUuid(name, text)
  }
  const [decisionId, baselineRunId, candidateRunId] = [
    idOf('decisionId'),
    idOf('baselineRunId'),
    idOf('candidateRunId'),
  ]
  if (decisionId !== undefined && (baselineRunId ?? candidateRunId) !== undefined)
    throw badRequest('Give decisionId, or baselineRunId and candidateRunId, not both')
  if (decisionId !== undefined) return { decisionId }
  if (baselineRunId === undefined && candidateRunId === undefined) return undefined
  if (baselineRunId === undefined || candidateRunId === undefined)
    throw badRequest('baselineRunId and candidateRunId belong together: give both')
  return { comparison: { baselineRunId, candidateRunId } }
}
