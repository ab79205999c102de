import { badRequest, conflict, notFound } from '../base/errors.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { cursorOf, isNumber, readBoolean, readLimit, readNames } from '../http/query-parameters.ts'
import { accepted, created, list, noContent, ok, type Route, route } from '../http/route.ts'
import { ErrorBody, listOf } from '../http/schemas.ts'
import { createNearDuplicateReader } from '../item-lists/find-near-duplicates.ts'
import {
  cancelExperiment,
  createExperiment,
  deleteExperiment,
  resumeExperiment,
  startExperiment,
  stopExperiment,
} from './change-experiment.ts'
import { courseRoutes } from './course/course-routes.ts'
import { describeExperiment, describeFront, describeIterations, describeResults } from './describe-experiment.ts'
import { diffContents, startTools } from './diff-contents.ts'
import { listExperiments, requireExperiment } from './experiment-queries.ts'
import {
  AGAINST,
  Experiment,
  ExperimentDetail,
  ExperimentFront,
  ExperimentParams,
  ExperimentResults,
  INCLUDES,
  ITERATIONS_PAGE,
  IterationDiff,
  IterationDiffQuery,
  IterationPage,
  IterationParams,
  IterationQuery,
  ResumeExperimentBody,
} from './experiment-schemas.ts'
import { findContents, listIterations } from './iteration-queries.ts'
import { type PreviewDeps, previewExperiment } from './preview/preview-experiment.ts'
import { ExperimentPreview } from './preview/preview-schemas.ts'
import { prompticDeploymentRoutes } from './promptic/deployment-routes.ts'
import { observationRoutes } from './promptic/observations.ts'
import { planDescribed } from './promptic/plan-described.ts'
import { prompticRoutes } from './promptic/promptic-routes.ts'
import { type ExperimentDepsToRead, readExperiment } from './read-experiment.ts'
import { ExperimentEstimate, NewExperimentBody, NewExperimentQuery } from './start-experiment-schemas.ts'
import { experimentSummaryRoutes } from './summaries/experiment-summary-routes.ts'
import { testSplitRoutes } from './test-split/test-split-routes.ts'

const tag = 'Experiments'
const path = '/components/:componentId/experiments'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

export function experimentRoutes(deps: Omit<PreviewDeps, 'readNearDuplicates'>): Route[] {
  const readNearDuplicates = createNearDuplicateReader()
  const toRead = { access: deps.access, pricer: deps.pricer, readNearDuplicates }
  return [
    getExperiments,
    postExperiment(toRead),
    postPreview({ ...deps, readNearDuplicates }),
    ...testSplitRoutes(readNearDuplicates),
    getExperiment,
    removeExperiment,
    postStart(toRead),
    postStop,
    postCancel,
    postResume,
    getIterations,
    getIterationDiff,
    getFront,
    getResults,
    ...prompticRoutes(toRead),
    ...observationRoutes,
    ...prompticDeploymentRoutes,
    ...courseRoutes,
    ...experimentSummaryRoutes,
  ]
}

const getExperiments = route({
  method: 'GET',
  path,
  access: reading,
  summary: 'List the experiments of a component, newest first',
  tag,
  params: ComponentParams,
  paged: true,
  responses: { 200: listOf(Experiment) },
  handle: async ({ db, principal, params, page }) =>
    list(await listExperiments(db.read, { workspaceId: principal.workspaceId, ...params, ...page })),
})

function postExperiment(deps: ExperimentDepsToRead) {
  return route({
    method: 'POST',
    path,
    access: editing,
    summary:
      'Create an experiment, which looks for a better version of a prompt once it is started; dry_run=true only estimates it',
    tag,
    params: ComponentParams,
    query: NewExperimentQuery,
    body: NewExperimentBody,
    responses: { 200: ExperimentEstimate, 201: ExperimentDetail },
    // Reads and compares the items of the dataset, and opens connections.
    prepare: async ({ principal: { workspaceId }, params, query, body, ...context }) => {
      const isDry = query.dry_run !== undefined && readBoolean('dry_run', query.dry_run)
      return { isDry, prepared: await readExperiment(context, deps, { workspaceId, ...params, ...body }) }
    },
    handle: async ({ principal, params, body: { datasetId, name }, prepared: { isDry, prepared }, ...context }) => {
      if (isDry) return ok(prepared.estimate)
      const experiment = await createExperiment(context, principal, { ...params, datasetId, name, prepared })
      return created(await describeExperiment(context.db.read, experiment))
    },
  })
}

function postPreview(deps: PreviewDeps) {
  return route({
    method: 'POST',
    path: `${path}/preview`,
    access: editing,
    summary:
      'Try one proposal of an experiment on 8 training items now: its difference, scores and cost; no experiment is stored',
    tag,
    params: ComponentParams,
    body: NewExperimentBody,
    isCancellable: true,
    responses: { 200: ExperimentPreview },
    handle: async ({ principal: { workspaceId }, params, body, ...context }) =>
      ok(await previewExperiment(context, deps, { workspaceId, ...params, ...body })),
  })
}

const getExperiment = route({
  method: 'GET',
  path: `${path}/:experimentId`,
  access: reading,
  summary: 'Get an experiment with its progress, its cost and what to expect on new items',
  tag,
  params: ExperimentParams,
  responses: { 200: ExperimentDetail },
  handle: async ({ db, principal: { workspaceId }, params }) =>
    ok(await describeExperiment(db.read, await requireExperiment(db.read, { workspaceId, ...params }))),
})

const removeExperiment = route({
  method: 'DELETE',
  path: `${path}/:experimentId`,
  access: editing,
  summary: 'Delete an experiment with its iterations; the versions that it has saved and the trial of its test stay',
  tag,
  params: ExperimentParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await deleteExperiment(context, principal, { workspaceId: principal.workspaceId, ...params })
    return noContent()
  },
})

function postStart(deps: ExperimentDepsToRead) {
  return route({
    method: 'POST',
    path: `${path}/:experimentId/start`,
    access: editing,
    summary: 'Start an experiment in the background',
    tag,
    params: ExperimentParams,
    responses: { 202: ExperimentDetail },
    prepare: async ({ principal: { workspaceId }, params, ...context }) =>
      planDescribed(context, deps, { workspaceId, ...params }),
    handle: async ({ principal, params, prepared: late, ...context }) => {
      const scope = { workspaceId: principal.workspaceId, ...params, late }
      return accepted(await describeExperiment(context.db.read, await startExperiment(context, principal, scope)))
    },
  })
}

const postStop = route({
  method: 'POST',
  path: `${path}/:experimentId/stop`,
  access: editing,
  summary: 'End the search of an experiment now, and open the test split for the best candidates so far',
  tag,
  params: ExperimentParams,
  responses: { 202: ExperimentDetail },
  handle: async ({ principal, params, ...context }) => {
    const scope = { workspaceId: principal.workspaceId, ...params }
    return accepted(await describeExperiment(context.db.read, await stopExperiment(context, principal, scope)))
  },
})

const postCancel = route({
  method: 'POST',
  path: `${path}/:experimentId/cancel`,
  access: editing,
  summary: 'Cancel an experiment: it fails with the reason “canceled” and keeps what it has found',
  tag,
  params: ExperimentParams,
  responses: { 202: ExperimentDetail },
  handle: async ({ principal, params, ...context }) => {
    const scope = { workspaceId: principal.workspaceId, ...params }
    return accepted(await describeExperiment(context.db.read, await cancelExperiment(context, principal, scope)))
  },
})

const postResume = route({
  method: 'POST',
  path: `${path}/:experimentId/resume`,
  access: editing,
  summary: 'Continue an experiment that was canceled or has failed before its test, with other limits if they are sent',
  tag,
  params: ExperimentParams,
  body: ResumeExperimentBody,
  isBodyOptional: true,
  responses: { 202: ExperimentDetail },
  handle: async ({ principal, params, body, ...context }) => {
    const scope = { workspaceId: principal.workspaceId, ...params, budget: body?.budget }
    return accepted(await describeExperiment(context.db.read, await resumeExperiment(context, principal, scope)))
  },
})

const cursors = cursorOf({ number: isNumber })

const getIterations = route({
  method: 'GET',
  path: `${path}/:experimentId/iterations`,
  access: reading,
  summary: 'List the prompts that an experiment has proposed, each with its fate; number 0 is the start',
  tag,
  params: ExperimentParams,
  query: IterationQuery,
  responses: { 200: IterationPage },
  handle: async ({ db, principal: { workspaceId }, params, query }) => {
    const included = query.include === undefined ? [] : readNames('include', query.include, INCLUDES)
    const limit = readLimit(query.limit, ITERATIONS_PAGE)
    const after = cursors.read(query.cursor)?.number ?? -1
    const experiment = await requireExperiment(db.read, { workspaceId, ...params })
    const with_ = { withParents: included.includes('parents'), withScores: included.includes('scores') }
    const { data, hasMore } = await describeIterations(db.read, experiment, { after, limit, ...with_ })
    const last = hasMore ? data.at(-1) : undefined
    return ok({ data, nextCursor: last ? cursors.write({ number: last.number }) : null })
  },
})

const getIterationDiff = route({
  method: 'GET',
  path: `${path}/:experimentId/iterations/:iteration/diff`,
  access: reading,
  summary: 'Compare a proposed prompt with the start, or with the prompt that it improves on, word by word',
  tag,
  params: IterationParams,
  query: IterationDiffQuery,
  responses: { 200: IterationDiff, 409: ErrorBody },
  handle: async ({ db, principal: { workspaceId }, params: { iteration: text, ...params }, query }) => {
    const against = AGAINST.find((one) => one === (query.against ?? 'start'))
    if (!against) throw badRequest(`The query parameter against must be one of ${AGAINST.join(', ')}`)
    const experiment = await requireExperiment(db.read, { workspaceId, ...params })
    const of = { workspaceId, experimentId: experiment.id }
    const to = Number(text)
    const iteration = (await listIterations(db.read, of)).find(({ number }) => number === to)
    if (!iteration) throw notFound('Iteration')
    const from = against === 'parent' ? (iteration.parent ?? 0) : 0
    const contents = await findContents(db.read, of, [from, to])
    const [before, after] = [contents.get(from)?.content, contents.get(to)?.content]
    if (!before || !after)
      throw conflict(`Iteration ${to} has no prompt: ${iteration.reason ?? 'it is not proposed yet'}`)
    return ok({ from, to, ...(await diffContents(before, after, await startTools(db.read, experiment))) })
  },
})

const getFront = route({
  method: 'GET',
  path: `${path}/:experimentId/front`,
  access: reading,
  summary: 'List the candidates that no other one beats on all validation items',
  tag,
  params: ExperimentParams,
  responses: { 200: ExperimentFront },
  handle: async ({ db, principal: { workspaceId }, params }) =>
    ok(await describeFront(db.read, await requireExperiment(db.read, { workspaceId, ...params }))),
})

const getResults = route({
  method: 'GET',
  path: `${path}/:experimentId/results`,
  access: reading,
  summary: 'Get the results of an experiment: the comparison on the test items, and what the search has done so far',
  tag,
  params: ExperimentParams,
  responses: { 200: ExperimentResults },
  handle: async ({ db, principal: { workspaceId }, params }) => {
    const experiment = await requireExperiment(db.read, { workspaceId, ...params })
    return ok(await describeResults(db.read, experiment))
  },
})
