import { Type } from 'typebox'
import { ok, route } from '../../http/route.ts'
import { Count, closed, Id, NullableInteger, NullableString, Timestamp } from '../../http/schemas.ts'
import { readWork, WORK_REASONS } from './read-work.ts'

const WorkRun = closed(
  {
    componentId: Id,
    componentName: Type.String(),
    datasetId: Id,
    datasetName: Type.String(),
    runId: Id,
    runName: NullableString,
    runCreatedAt: Timestamp,
    reason: Type.Enum(WORK_REASONS, {
      type: 'string',
      description:
        'started: the caller has rated some; requested: the run has an annotation policy; open: others have rated; disagreements: nothing is left to rate, but ratings differ and that is not resolved',
    }),
    total: Count,
    /** By the caller. */
    rated: Count,
    /** That the caller can still rate, as in the queue of the run. */
    remaining: Count,
    disagreements: Type.Integer({
      minimum: 0,
      description: 'Traces with different ratings that are not resolved, as far as the caller may see them',
    }),
    blind: Type.Boolean(),
    ratersPerItem: NullableInteger,
  },
  { title: 'WorkRun' },
)

const Work = closed(
  {
    /** Sums over `data`. */
    remaining: Count,
    disagreements: Count,
    /** True if only the newest 100 runs with ratings or a policy were considered. */
    hasMore: Type.Boolean(),
    data: Type.Array(WorkRun),
  },
  { title: 'Work' },
)

export const getMyWork = route({
  method: 'GET',
  path: '/me/work',
  access: { auth: 'key-or-session', workspace: 'header', role: 'annotator' },
  summary: 'List the runs with traces that the caller can rate, or with open disagreements; most urgent first',
  tag: 'Annotations',
  responses: { 200: Work },
  // Reads all ratings of up to a hundred runs.
  handle: async ({ db, principal, signal }) =>
    ok(await readWork(db.bulk({ application: principal.workspaceId, signal, from: 'request' }), principal)),
  isCancellable: true,
})
