/** The experiments of an application on the paths of promptic-sdk. */
import { badRequest } from '../../base/errors.ts'
import { readWindow } from '../../http/query-parameters.ts'
import { created, noContent, ok, type Route, route } from '../../http/route.ts'
import { listOf } from '../../http/schemas.ts'
import type { Queries } from '../../storage/db.ts'
import { startExperiment } from '../change-experiment.ts'
import type { ExperimentRow } from '../experiment-queries.ts'
import type { ExperimentDepsToRead } from '../read-experiment.ts'
import {
  changeDescription,
  deleteAnyExperiment,
  describeNewExperiment,
  readDescription,
  requireAnyExperiment,
} from './change-described.ts'
import { addEvaluators, changeEvaluator, readEvaluators, removeEvaluator } from './change-evaluators.ts'
import { describePromptic } from './describe-promptic.ts'
import { duplicateExperiment } from './duplicate-experiment.ts'
import { planDescribed } from './plan-described.ts'
import {
  AddEvaluatorsBody,
  ChangeDescriptionBody,
  ChangeEvaluatorBody,
  DescribeExperimentBody,
  DuplicateBody,
  DuplicatedExperiment,
  EvaluatorParams,
  EXPERIMENT_STATUSES,
  EXPERIMENTS_PAGE,
  ExperimentsQuery,
  PrompticEvaluator,
  PrompticExperiment,
  PrompticIteration,
  PrompticIterationParams,
  PrompticParams,
  ScoredIteration,
  StartedExperiment,
} from './promptic-schemas.ts'
import { describeIteration, describeScored } from './scored-iterations.ts'
import { listExperimentRows } from './settings-queries.ts'
import { createToolSelection, ToolSelectionBody } from './tool-selection.ts'

const tag = 'Experiments of promptic-sdk'
const path = '/experiments'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

export function prompticRoutes(deps: ExperimentDepsToRead): Route[] {
  return [...experimentRoutes, postStart(deps), ...evaluatorRoutes, ...iterationRoutes]
}

async function describeOne(q: Queries, row: ExperimentRow) {
  const [described] = await describePromptic(q, [row])
  return described
}

const experimentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    access: reading,
    summary: 'List the experiments of all components as promptic-sdk reads them, newest first',
    tag,
    query: ExperimentsQuery,
    responses: { 200: listOf(PrompticExperiment) },
    handle: async ({ db, principal: { workspaceId }, query }) => {
      const { component_id: componentId, status: wanted, ...window } = query
      const page = readWindow(window, EXPERIMENTS_PAGE)
      const status = wanted === undefined ? undefined : EXPERIMENT_STATUSES.find((one) => one === wanted)
      if (wanted !== undefined && status === undefined)
        throw badRequest(`The query parameter status must be one of ${EXPERIMENT_STATUSES.join(', ')}`)
      // A job takes what was scheduled at once.
      if (status === 'scheduled') return ok({ data: [] })
      const rows = await listExperimentRows(db.read, workspaceId, { componentId, status, ...page })
      return ok({ data: await describePromptic(db.read, rows) })
    },
  }),
  route({
    method: 'POST',
    path,
    access: editing,
    summary:
      'Describe an experiment, with a dataset for its cases and a prompt that it starts from; it is planned when it is started',
    tag,
    body: DescribeExperimentBody,
    responses: { 201: PrompticExperiment },
    handle: async ({ principal, body, ...context }) => {
      const { aiComponentId: componentId, name = null } = body
      const settings = readDescription(body)
      const row = await describeNewExperiment(context, principal, { componentId, name, settings })
      return created(await describeOne(context.db.read, row))
    },
  }),
  route({
    method: 'POST',
    path: `${path}/tool-selection`,
    access: editing,
    summary: 'Describe an experiment on which tool a model calls, with its tools and cases',
    tag,
    body: ToolSelectionBody,
    responses: { 201: PrompticExperiment },
    handle: async ({ principal, body, ...context }) =>
      created(await describeOne(context.db.read, await createToolSelection(context, principal, body))),
  }),
  route({
    method: 'GET',
    path: `${path}/:experimentId`,
    access: reading,
    summary: 'Get an experiment as promptic-sdk reads it',
    tag,
    params: PrompticParams,
    responses: { 200: PrompticExperiment },
    handle: async ({ db, principal: { workspaceId }, params }) =>
      ok(await describeOne(db.read, await requireAnyExperiment(db.read, { workspaceId, ...params }))),
  }),
  route({
    method: 'PATCH',
    path: `${path}/:experimentId`,
    access: editing,
    summary: 'Update an experiment that was not started',
    tag,
    params: PrompticParams,
    body: ChangeDescriptionBody,
    responses: { 200: PrompticExperiment },
    handle: async ({ principal, params, body, ...context }) =>
      ok(await describeOne(context.db.read, await changeDescription(context, principal, { ...params, ...body }))),
  }),
  route({
    method: 'DELETE',
    path: `${path}/:experimentId`,
    access: editing,
    summary: 'Delete an experiment with the dataset that was created for it; its prompt stays',
    tag,
    params: PrompticParams,
    responses: { 204: null },
    handle: async ({ principal, params: { experimentId }, ...context }) => {
      await deleteAnyExperiment(context, principal, experimentId)
      return noContent()
    },
  }),
  route({
    method: 'POST',
    path: `${path}/:experimentId/duplicate`,
    access: editing,
    summary:
      'Copy an experiment with its cases and evaluators, also to continue from the best prompt that it has found',
    tag,
    params: PrompticParams,
    body: DuplicateBody,
    isBodyOptional: true,
    responses: { 201: DuplicatedExperiment },
    handle: async ({ principal, params, body, ...context }) => {
      const copied = await duplicateExperiment(context, principal, { ...params, ...body })
      const { experiment, modelUnavailable } = copied
      return created({ ...(await describeOne(context.db.read, experiment)), modelUnavailable })
    },
  }),
]

function postStart(deps: ExperimentDepsToRead): Route {
  return route({
    method: 'POST',
    path: `${path}/:experimentId/start`,
    access: editing,
    summary: 'Plan an experiment and start it in the background',
    tag,
    params: PrompticParams,
    responses: { 200: StartedExperiment },
    // Reads and compares the items of the dataset, and opens connections.
    prepare: async ({ principal: { workspaceId }, params, ...context }) =>
      planDescribed(context, deps, { workspaceId, ...params }),
    handle: async ({ principal, params, prepared: late, ...context }) => {
      const scope = { workspaceId: principal.workspaceId, ...params }
      const { componentId } = await requireAnyExperiment(context.db.read, scope)
      await startExperiment(context, principal, { ...scope, componentId, late })
      return ok({ messageId: context.requestId, status: 'scheduled' })
    },
  })
}

const evaluatorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}/:experimentId/evaluators`,
    access: reading,
    summary: 'List the evaluators of an experiment',
    tag,
    params: PrompticParams,
    responses: { 200: listOf(PrompticEvaluator) },
    handle: async ({ db, principal: { workspaceId }, params }) => {
      const experiment = await requireAnyExperiment(db.read, { workspaceId, ...params })
      return ok({ data: await readEvaluators(db.read, experiment) })
    },
  }),
  route({
    method: 'POST',
    path: `${path}/:experimentId/evaluators`,
    access: editing,
    summary: 'Add evaluators to an experiment that was not started',
    tag,
    params: PrompticParams,
    body: AddEvaluatorsBody,
    responses: { 201: listOf(PrompticEvaluator) },
    handle: async ({ principal, params, body: given, ...context }) =>
      created({ data: await addEvaluators(context, principal, { ...params, given }) }),
  }),
  route({
    method: 'PATCH',
    path: `${path}/:experimentId/evaluators/:evaluatorId`,
    access: editing,
    summary: 'Update an evaluator of an experiment that was not started',
    tag,
    params: EvaluatorParams,
    body: ChangeEvaluatorBody,
    responses: { 200: PrompticEvaluator },
    handle: async ({ principal, params, body: change, ...context }) =>
      ok(await changeEvaluator(context, principal, { ...params, change })),
  }),
  route({
    method: 'DELETE',
    path: `${path}/:experimentId/evaluators/:evaluatorId`,
    access: editing,
    summary: 'Delete an evaluator of an experiment that was not started',
    tag,
    params: EvaluatorParams,
    responses: { 204: null },
    handle: async ({ principal, params, ...context }) => {
      await removeEvaluator(context, principal, params)
      return noContent()
    },
  }),
]

const iterationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}/:experimentId/iterations`,
    access: reading,
    summary: 'List the proposed prompts of an experiment that were scored',
    tag,
    params: PrompticParams,
    responses: { 200: listOf(PrompticIteration) },
    handle: async ({ db, principal: { workspaceId }, params }) => {
      const experiment = await requireAnyExperiment(db.read, { workspaceId, ...params })
      return ok({ data: await describeScored(db.read, experiment) })
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:experimentId/iterations/best`,
    access: reading,
    summary: 'Get the best iteration: by the validation items if any was validated, else by all of its scores',
    tag,
    params: PrompticParams,
    responses: { 200: ScoredIteration },
    handle: async ({ db, principal: { workspaceId }, params }) => {
      const experiment = await requireAnyExperiment(db.read, { workspaceId, ...params })
      return ok(await describeIteration(db.read, experiment, 'best'))
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:experimentId/iterations/:iteration`,
    access: reading,
    summary: 'Get an iteration with its scores',
    tag,
    params: PrompticIterationParams,
    responses: { 200: ScoredIteration },
    handle: async ({ db, principal: { workspaceId }, params: { iteration, ...params } }) => {
      const experiment = await requireAnyExperiment(db.read, { workspaceId, ...params })
      return ok(await describeIteration(db.read, experiment, Number(iteration)))
    },
  }),
]
