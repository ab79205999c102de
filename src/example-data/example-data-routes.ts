import { Type } from 'typebox'
import { created, noContent, ok, type Route, route } from '../http/route.ts'
import { closed, Id, NullableId, NullableTimestamp } from '../http/schemas.ts'
import type { Queries } from '../storage/db.ts'
import { findExampleData, listExampleAuthors } from './example-data-queries.ts'
import { type ExampleDeps, loadExampleData } from './load-example-data.ts'
import { removeExampleData } from './remove-example-data.ts'

/** The runs and evaluations are in the order of the versions of the prompt: the first two are rated. */
const ExampleData = closed(
  {
    loaded: Type.Boolean(),
    componentId: NullableId,
    datasetId: NullableId,
    runIds: Type.Array(Id),
    evaluationIds: Type.Array(Id),
    /** They cannot sign in and are members of nothing. */
    authors: Type.Array(closed({ userId: Id, name: Type.String() })),
    createdAt: NullableTimestamp,
  },
  { title: 'ExampleData' },
)

const tag = 'Onboarding'
const path = '/example-data'
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

export function exampleDataRoutes(deps: ExampleDeps): Route[] {
  return [
    route({
      method: 'GET',
      path,
      access: { ...editing, role: 'viewer' },
      summary: 'Get whether the example data is loaded, and its ids',
      tag,
      responses: { 200: ExampleData },
      handle: async ({ db, principal }) => ok(await readExampleData(db.read, principal.workspaceId)),
    }),
    route({
      method: 'POST',
      path,
      access: editing,
      summary:
        'Load the example data: a component with evaluated runs and a prompt with five versions; 200 if it is loaded already',
      tag,
      responses: { 200: ExampleData, 201: ExampleData },
      handle: async ({ principal, ...context }) => {
        const outcome = await loadExampleData(context, deps, principal)
        const body = await readExampleData(context.db.read, principal.workspaceId)
        return outcome === 'created' ? created(body) : ok(body)
      },
    }),
    route({
      method: 'DELETE',
      path,
      access: editing,
      summary: 'Remove the example data; does nothing if it is not loaded',
      tag,
      responses: { 204: null },
      handle: async ({ principal, ...context }) => {
        await removeExampleData(context, principal)
        return noContent()
      },
    }),
  ]
}

const NOT_LOADED = { loaded: false, componentId: null, datasetId: null, runIds: [], evaluationIds: [], createdAt: null }

async function readExampleData(q: Queries, workspaceId: string) {
  const known = await findExampleData(q, workspaceId)
  if (!known?.isComponentActive) return { ...NOT_LOADED, authors: [] }
  const { componentId, datasetId, runIds, evaluationIds, createdAt } = known
  const authors = await listExampleAuthors(q, workspaceId)
  return { loaded: true, componentId, datasetId, runIds, evaluationIds, authors, createdAt }
}
