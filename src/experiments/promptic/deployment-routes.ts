/** The deployment of a component on the paths of promptic-sdk: the label `production`, if it serves a version that an experiment has made. */
import { Type } from 'typebox'
import { conflict, notFound } from '../../base/errors.ts'
import { findComponent } from '../../components/component-queries.ts'
import { ComponentParams } from '../../components/component-schemas.ts'
import { measureVerdicts } from '../../deployments/measure-verdicts.ts'
import { created, noContent, ok, route } from '../../http/route.ts'
import { closed, Id, NullableString, nullable, ofTypes } from '../../http/schemas.ts'
import { deleteLabel, moveLabel } from '../../prompts/change-label.ts'
import { recordReadings } from '../../prompts/required-verdicts.ts'
import type { Queries } from '../../storage/db.ts'
import { type ExperimentRow, requireExperiment } from '../experiment-queries.ts'
import { listIterations } from '../iteration-queries.ts'
import { type Deployment, findDeployment, PRODUCTION } from './deployment-queries.ts'
import { describePromptic, shownMessage } from './describe-promptic.ts'
import { PrompticExperiment } from './promptic-schemas.ts'
import { describeScored } from './scored-iterations.ts'
import { promptTextOf } from './settings.ts'
import { findSettings } from './settings-queries.ts'

const tag = 'Experiments of promptic-sdk'
const path = '/components/:componentId/deployment'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const Deployed = closed(
  { aiComponentId: Id, experimentId: Id, experiment: PrompticExperiment },
  { title: 'PrompticDeployment' },
)

const DeployedPrompt = closed(
  {
    prompt: Type.String(),
    promptMessages: Type.Array(closed({ role: Type.String(), content: Type.String() })),
    promptFormat: Type.Enum(['single', 'multi_message'], { type: 'string' }),
    model: Type.String(),
    provider: Type.String(),
    componentId: Id,
    componentName: NullableString,
    experimentId: Id,
    iterationId: Type.Integer(),
    score: Type.Number({
      description: 'On the validation items, from 0 to 1; of all answers if it was not validated.',
    }),
    schemaSnapshot: ofTypes(['object', 'null']),
  },
  { title: 'DeployedPrompt' },
)

async function requireComponent(q: Queries, scope: { workspaceId: string; componentId: string }) {
  const [component] = await findComponent(q, scope)
  if (!component) throw notFound('Component')
  return component
}

const getDeployment = route({
  method: 'GET',
  path,
  access: reading,
  summary: 'Get the experiment whose prompt the label production serves; null if there is none',
  tag,
  params: ComponentParams,
  responses: { 200: nullable(Deployed) },
  handle: async ({ db: { read }, principal: { workspaceId }, params }) => {
    await requireComponent(read, { workspaceId, ...params })
    const deployment = await findDeployment(read, { workspaceId, ...params })
    if (!deployment) return ok(null)
    const [experiment] = await describePromptic(read, [deployment.experiment])
    const { componentId: aiComponentId, id: experimentId } = deployment.experiment
    return ok({ aiComponentId, experimentId, experiment })
  },
})

const postDeployment = route({
  method: 'POST',
  path,
  access: editing,
  summary: 'Let the label production serve the prompt that an experiment has found, if its gate allows it',
  tag,
  params: ComponentParams,
  body: closed({ experimentId: Id }),
  responses: { 201: closed({ aiComponentId: Id, experimentId: Id }) },
  prepare: async ({ db, clock, principal, params, body }) => {
    const scope = { workspaceId: principal.workspaceId, ...params, ...body }
    const { componentId, promptId, ...experiment } = await requireExperiment(db.read, scope)
    const splits = [{ version: await foundVersion(db.read, experiment), weight: 100 }]
    const moves = [{ label: PRODUCTION, splits }]
    const target = { componentId, promptId }
    const verdicts = await measureVerdicts({ db, clock }, principal, { ...target, moves, evidence: undefined })
    return { ...target, splits, verdicts, experimentId: experiment.id }
  },
  handle: async ({ principal, prepared, ...context }) => {
    const { componentId, promptId, splits, experimentId } = prepared
    const verdicts = await recordReadings(context, prepared.verdicts)
    const note = `Deployed from the experiment ${experimentId}`
    await moveLabel(context, principal, { componentId, promptId, label: PRODUCTION, splits, note, verdicts })
    return created({ aiComponentId: componentId, experimentId })
  },
})

/** Of the finalists, which the test has decided about, the first one. */
async function foundVersion(
  q: Queries,
  { workspaceId, id, status }: Pick<ExperimentRow, 'workspaceId' | 'id' | 'status'>,
) {
  const iterations = await listIterations(q, { workspaceId, experimentId: id })
  const finalist = iterations.find(({ state }) => state === 'finalist')
  if (finalist?.version != null) return finalist.version
  throw conflict(
    status === 'completed'
      ? 'The experiment has found no prompt that is better than its start; move the label production to the start if it should be served'
      : `The experiment has not ended with a better prompt (${status}), so that nothing can be deployed`,
  )
}

const deleteDeployment = route({
  method: 'DELETE',
  path,
  access: editing,
  summary: 'Delete the label production that serves the prompt of an experiment',
  tag,
  params: ComponentParams,
  responses: { 204: null },
  handle: async ({ principal, params: { componentId }, ...context }) => {
    const { read } = context.db
    await requireComponent(read, { workspaceId: principal.workspaceId, componentId })
    const deployment = await findDeployment(read, { workspaceId: principal.workspaceId, componentId })
    if (!deployment) throw notFound('Deployment')
    await deleteLabel(context, principal, { componentId, promptId: deployment.promptId, label: PRODUCTION })
    return noContent()
  },
})

const getDeployedPrompt = route({
  method: 'GET',
  path: `${path}/prompt`,
  access: reading,
  summary: 'Get the prompt of an experiment that the label production serves; null if there is none',
  tag,
  params: ComponentParams,
  responses: { 200: nullable(DeployedPrompt) },
  handle: async ({ db: { read }, principal: { workspaceId }, params }) => {
    const { name } = await requireComponent(read, { workspaceId, ...params })
    const deployment = await findDeployment(read, { workspaceId, ...params })
    return ok(deployment ? await describePrompt(read, deployment, name) : null)
  },
})

async function describePrompt(q: Queries, { experiment, version }: Deployment, componentName: string) {
  const { workspaceId, id: experimentId, componentId } = experiment
  const [described] = await describePromptic(q, [experiment])
  const settings = await findSettings(q, { workspaceId, experimentId })
  const iterations = await listIterations(q, { workspaceId, experimentId })
  const number = iterations.find((one) => one.version === version.number)?.number ?? 0
  const scored = (await describeScored(q, experiment)).find(({ id }) => id === number)
  const { messages, model, provider } = version.content
  const addsInput = settings?.addsInput ?? false
  return {
    prompt: promptTextOf(messages, { addsInput }),
    promptMessages: messages.map(shownMessage),
    promptFormat: messages.length <= 1 || addsInput ? 'single' : 'multi_message',
    model: model ?? described?.targetModel ?? '',
    provider: provider ?? described?.provider ?? '',
    componentId,
    componentName,
    experimentId,
    iterationId: number,
    score: scored?.evalNormalizedScore ?? scored?.overallNormalizedScore ?? 0,
    schemaSnapshot: settings?.schema ?? null,
  }
}

export const prompticDeploymentRoutes = [getDeployment, postDeployment, deleteDeployment, getDeployedPrompt]
