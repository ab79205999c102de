import type { Client } from '../harness/client.ts'
import type { Person, TestApp } from '../harness/test-app.ts'
import type { Ids } from './route-requests.ts'
import { waitForJobs } from './workspace-rows.ts'

/** Both workspaces name this trace, so a query that forgets its workspace finds the other one's annotations by it. */
export const SHARED_TRACE = 'trace-known-to-both'

/** A workspace with one of everything in it. `ids` are those of its tree. */
export type Tenant = {
  workspaceId: string
  owner: Person
  /** As the owner, in a browser. */
  session: Client
  key: Client
  secret: string
  ids: Ids
}

/** Every text in the workspace holds `mark`. */
export async function seedTenant(app: TestApp, mark: string): Promise<Tenant> {
  const { workspaceId, key } = await app.newWorkspace(`${mark} workspace`)
  const owner = await app.newPerson([{ workspaceId, role: 'owner' }])
  const session = app.asPerson(owner, workspaceId)
  await session.patch(`/workspaces/${workspaceId}`, { description: `${mark} of the workspace` })
  const ids = await seedTree(session, { workspaceId, mark })
  await waitForJobs(app.storage, workspaceId)
  return { workspaceId, owner, session, key: app.withKey(key), secret: key, ids }
}

/** One of everything that has an id, each below the one before it. */
export async function seedTree(
  session: Client,
  { workspaceId, mark }: { workspaceId: string; mark: string },
): Promise<Ids> {
  const description = `${mark} description`
  const traceIds = [SHARED_TRACE, `${mark} trace`]
  const componentId = await session.create('/components', { name: `${mark} component`, description })
  const inComponent = `/components/${componentId}`
  const dataset = { name: `${mark} dataset`, description, traceIds }
  const datasetId = await session.create(`${inComponent}/datasets`, dataset)
  const runId = await session.create(`${inComponent}/runs`, { datasetId, name: `${mark} run`, traceIds })
  const note = { rating: `${mark} rating`, comment: `${mark} comment` }
  const annotations = `${inComponent}/runs/${runId}/annotations`
  await session.create(annotations, { traceDbId: `${mark} trace`, ...note })
  const annotationId = await session.create(annotations, { traceDbId: SHARED_TRACE, ...note })
  const config = { evaluators: [{ type: 'humanRating', name: `${mark} evaluator`, positive: [note.rating] }] }
  const evaluation = { datasetId, runId, name: `${mark} evaluation`, config }
  const evaluationId = await session.create(`${inComponent}/evaluations`, evaluation)
  const keyId = await session.create('/api-keys', { name: `${mark} key` })
  const email = `${mark}-${componentId}@example.com`.toLowerCase()
  const userId = await session.create('/members', { email, role: 'viewer' })
  return { workspaceId, componentId, datasetId, runId, annotationId, evaluationId, keyId, userId }
}
