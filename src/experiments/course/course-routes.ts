/** What the page of an experiment reads and does besides its resource. */
import { badRequest } from '../../base/errors.ts'
import { EVENT_STREAM } from '../../http/event-stream.ts'
import { cursorOf, isNumber, readLimit } from '../../http/query-parameters.ts'
import { created, ok, type Route, route, streamedWhileRead } from '../../http/route.ts'
import { ErrorBody } from '../../http/schemas.ts'
import { experimentEvents } from '../experiment-events.ts'
import { requireExperiment } from '../experiment-queries.ts'
import { AGAINST, ExperimentParams, IterationParams } from '../experiment-schemas.ts'
import {
  ANSWERS_PAGE,
  ExperimentCourse,
  IterationAnswers,
  IterationAnswersQuery,
  IterationDetail,
  IterationDetailQuery,
  SavedIteration,
} from './course-schemas.ts'
import { listAnswersOf } from './list-answers.ts'
import { readCourse } from './read-course.ts'
import { readIteration } from './read-iteration.ts'
import { saveIteration } from './save-iteration.ts'

const tag = 'Experiments'
const path = '/components/:componentId/experiments/:experimentId'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const getEvents = route({
  method: 'GET',
  path: `${path}/events`,
  access: reading,
  summary: 'Stream the progress of an experiment as server-sent events: progress, end',
  tag,
  params: ExperimentParams,
  streams: [EVENT_STREAM],
  responses: { 200: null },
  handle: async ({ db, clock, principal: { workspaceId }, params, isStillAllowed }) => {
    const { id: experimentId } = await requireExperiment(db.read, { workspaceId, ...params })
    const of = { workspaceId, experimentId }
    return streamedWhileRead(EVENT_STREAM, (isRead) => experimentEvents({ db, clock, isStillAllowed, isRead }, of))
  },
})

const getCourse = route({
  method: 'GET',
  path: `${path}/course`,
  access: reading,
  summary:
    'Get the course of the search: every proposal with its fate and scores, and what to expect on new items over time',
  tag,
  params: ExperimentParams,
  responses: { 200: ExperimentCourse },
  handle: async ({ db, principal: { workspaceId }, params }) =>
    ok(await readCourse(db.read, await requireExperiment(db.read, { workspaceId, ...params }))),
})

const getIteration = route({
  method: 'GET',
  path: `${path}/iterations/:iteration`,
  access: reading,
  summary: 'Get a proposed prompt, and the validation items whose scores it has changed',
  tag,
  params: IterationParams,
  query: IterationDetailQuery,
  responses: { 200: IterationDetail },
  handle: async ({ db, principal: { workspaceId }, params: { iteration, ...params }, query }) => {
    const against = AGAINST.find((one) => one === (query.against ?? 'start'))
    if (!against) throw badRequest(`The query parameter against must be one of ${AGAINST.join(', ')}`)
    const experiment = await requireExperiment(db.read, { workspaceId, ...params })
    return ok(await readIteration(db.read, experiment, { number: Number(iteration), against }))
  },
})

const cursors = cursorOf({ call: isNumber })

const getAnswers = route({
  method: 'GET',
  path: `${path}/iterations/:iteration/answers`,
  access: reading,
  summary: 'List the answers of a proposed prompt to training and validation items, each with its scores and its trace',
  tag,
  params: IterationParams,
  query: IterationAnswersQuery,
  responses: { 200: IterationAnswers },
  handle: async ({ db, principal: { workspaceId }, params: { iteration, ...params }, query }) => {
    const limit = readLimit(query.limit, ANSWERS_PAGE)
    const after = cursors.read(query.cursor)?.call ?? 0
    const experiment = await requireExperiment(db.read, { workspaceId, ...params })
    const listing = { iteration: Number(iteration), after, limit }
    const { data, hasMore } = await listAnswersOf(db.read, experiment, listing)
    const last = hasMore ? data.at(-1) : undefined
    return ok({ data, nextCursor: last ? cursors.write({ call: last.call }) : null })
  },
})

const postVersion = route({
  method: 'POST',
  path: `${path}/iterations/:iteration/version`,
  access: editing,
  summary: 'Save a proposed prompt as a version; 200 with the existing version if its content is the same',
  tag,
  params: IterationParams,
  responses: { 200: SavedIteration, 201: SavedIteration, 409: ErrorBody },
  handle: async ({ principal, params: { iteration, ...params }, ...context }) => {
    const scope = { workspaceId: principal.workspaceId, ...params, number: Number(iteration) }
    const { isNew, ...saved } = await saveIteration(context, principal, scope)
    return isNew ? created(saved) : ok(saved)
  },
})

export const courseRoutes: readonly Route[] = [getEvents, getCourse, getIteration, getAnswers, postVersion]
