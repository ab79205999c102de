import { unavailable } from '../base/errors.ts'
import { ok, type Route, route } from '../http/route.ts'
import { LabelParams, PromptLabel, PromptParams } from '../prompts/prompt-schemas.ts'
import { CheckQuery, DeploymentCheck, ProtectLabelBody, ResultsQuery, VersionResults } from './deployment-schemas.ts'
import { protectLabel } from './protect-label.ts'

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
    handle: async () => {
      throw unavailable('Checks are not built yet')
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
    handle: async () => {
      throw unavailable('Results are not built yet')
    },
  }),
]
