import { Type } from 'typebox'
import { badRequest } from '../../base/errors.ts'
import { closed, NAME_LENGTH_MAX, Text } from '../../http/schemas.ts'
import { Component, Run } from '../named-arguments.ts'
import { Ref, Stored } from '../stored-text.ts'
import {
  type Call,
  defineTool,
  type Loaded,
  listIn,
  offsetCursor,
  offsetOf,
  offsetPage,
  paging,
  queryOf,
} from '../tool.ts'

const OF_RUN = 'GET /components/:componentId/runs/:runId/annotations'
const OF_TRACE = 'GET /traces/:traceId/annotations'
const ANNOTATIONS_PER_CALL = 100

const TraceId = Type.String({ minLength: 1, maxLength: 128 })

export const listAnnotations = defineTool({
  name: 'list_annotations',
  title: 'List annotations',
  description:
    'Lists ratings and comments of people, newest first: those of a run (component and run), or all of one trace (traceId). Ratings that the caller may not see yet, because a run is rated blindly, are not returned.',
  routes: [OF_RUN, OF_TRACE],
  input: closed({
    component: Type.Optional(Component),
    run: Type.Optional(Run),
    traceId: Type.Optional(TraceId),
    limit: paging.limit,
    cursor: offsetCursor,
  }),
  facts: { hiddenRaters: Type.Optional(Type.Array(closed({ userId: Ref, name: Stored }))) },
  row: closed({
    id: Ref,
    traceDbId: Ref,
    runId: Ref,
    runName: Stored,
    userId: Ref,
    name: Stored,
    rating: Stored,
    comment: Stored,
    correctedOutput: Stored,
    createdAt: Stored,
  }),
  narrow: 'Use traceId or a lower limit, or continue with the cursor.',
  run: async (call, { component: componentId, run: runId, traceId, limit, cursor }): Promise<Loaded> => {
    const page = { limit: Math.min(limit, ANNOTATIONS_PER_CALL - 1), offset: offsetOf(cursor) }
    const query = queryOf({ limit: page.limit + 1, offset: page.offset })
    const isOfRun = componentId !== undefined && runId !== undefined
    if (isOfRun === (traceId !== undefined)) throw badRequest('Either component and run, or traceId, is required')
    const body = isOfRun
      ? await call(OF_RUN, { params: { componentId, runId }, query })
      : await call(OF_TRACE, { params: { traceId }, query })
    return { facts: { hiddenRaters: body.hiddenRaters }, ...offsetPage(listIn(body), page) }
  },
})

const SAVE_IN_RUN = 'POST /components/:componentId/runs/:runId/annotations'
const OWN = 'GET /traces/:traceId/annotation'
const SAVE = 'PUT /traces/:traceId/annotation'

export const annotateTrace = defineTool({
  name: 'annotate_trace',
  title: 'Annotate a trace',
  description:
    'Saves the rating or comment of the owner of the API key on a trace, in a run (component and run) or outside of runs. Saving again replaces the given fields and keeps the others. Only annotate when the user asked for it: it counts as the opinion of a person.',
  routes: [SAVE_IN_RUN, OWN, SAVE],
  effect: { isDestructive: true, isIdempotent: true },
  input: closed({
    traceId: TraceId,
    component: Type.Optional(Component),
    run: Type.Optional(Run),
    rating: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: NAME_LENGTH_MAX,
        description: 'A rating of the scheme, such as positive.',
      }),
    ),
    comment: Type.Optional(Text),
  }),
  facts: {
    id: Ref,
    traceDbId: Ref,
    userId: Ref,
    rating: Stored,
    comment: Stored,
    correctedOutput: Stored,
    createdAt: Stored,
  },
  narrow: 'The annotation was saved; list_annotations returns it.',
  run: async (call, { traceId, component: componentId, run: runId, rating, comment }): Promise<Loaded> => {
    if (rating === undefined && comment === undefined) throw badRequest('A rating or a comment is required')
    if ((componentId === undefined) !== (runId === undefined)) {
      throw badRequest('component and run are required together')
    }
    const given = { ...(rating === undefined ? {} : { rating }), ...(comment === undefined ? {} : { comment }) }
    if (runId === undefined) return { facts: await saveOutsideRuns(call, traceId, given) }
    const body = { traceDbId: traceId, ...given }
    return { facts: await call(SAVE_IN_RUN, { params: { componentId, runId }, body }) }
  },
})

/** The route replaces the whole annotation, so what it had is sent again. */
async function saveOutsideRuns(call: Call, traceId: string, given: { rating?: string; comment?: string }) {
  const { rating, comment, correctedOutput } = await call(OWN, { params: { traceId } })
  return call(SAVE, { params: { traceId }, body: { rating, comment, correctedOutput, ...given } })
}
