/**
 * Assigns the traces that name a component to it, and creates it if it does not exist. The traces are then linked with the datasets and
 * runs that they name, as if the component had existed when they arrived.
 *
 * A request assigns a limited number of traces, a few per transaction. After each transaction all data is consistent: a request can end
 * at any point and be repeated, and finds the traces that are left.
 */
import { recordAudit } from '../../auth/audit/audit.ts'
import { notFound } from '../../base/errors.ts'
import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import { createdAtOf } from '../../base/ids.ts'
import type { Principal } from '../../base/principal.ts'
import { findComponentIdsByName, insertComponent, lockComponent } from '../../components/component-queries.ts'
import type { Context } from '../../http/route.ts'
import type { TraceLinker } from '../../ingestion/link-arrived-traces.ts'
import type { Queries } from '../../storage/db.ts'
import { lockWorkspaceExclusive } from '../../storage/dialect.ts'
import { deleteFacets, facetsOfTrace } from '../../traces/storing/facet-queries.ts'
import { RollupChanges } from '../../traces/storing/rollup-queries.ts'
import { type StoredTrace, without } from '../../traces/storing/store-spans.ts'
import { copyOf } from '../../traces/storing/trace-state.ts'
import { findTraceStates, updateTrace } from '../../traces/storing/trace-state-queries.ts'
import { lockWorkspaceShared } from '../../workspaces/workspace-queries.ts'
import { findSpellings } from './read-unknown-components.ts'
import { listWaitingTraces } from './unknown-component-queries.ts'

const PER_REQUEST = 1_000
const PER_TRANSACTION = 50

type Deps = Pick<Context, 'db' | 'newId' | 'requestId' | 'address'> & { linker: TraceLinker }

export async function assignTraces({ linker, ...context }: Deps, by: Principal, name: string) {
  const { db } = context
  const { workspaceId } = by
  const names = await findSpellings(db.read, workspaceId, name)
  const waiting = await listWaitingTraces(db.read, { workspaceId, names }, PER_REQUEST + 1)
  const componentId = await db.transaction(async (tx) => {
    const id = await findOrCreateComponent(tx, context.newId, { workspaceId, name })
    const event = { by, workspaceId, action: 'traces.assigned', resourceId: id, detail: name } as const
    if (waiting.length > 0) await recordAudit(tx, context, event)
    return id
  })
  let assignedCount = 0
  for (const chunk of chunksOf(waiting.slice(0, PER_REQUEST), PER_TRANSACTION)) {
    assignedCount += await db.transaction((tx) => assignChunk(tx, linker, { workspaceId, componentId }, chunk))
    await yieldToEventLoop()
  }
  return { componentId, assignedCount, hasMore: waiting.length > PER_REQUEST }
}

type Named = { workspaceId: string; name: string }

async function findOrCreateComponent(
  tx: Queries,
  newId: Context['newId'],
  { workspaceId, name }: Named,
): Promise<string> {
  // Two requests at the same time create one component.
  if (!(await lockWorkspaceExclusive(tx, workspaceId))) throw notFound('Workspace')
  const found = (await findComponentIdsByName(tx, workspaceId, [name])).get(name)
  if (found !== undefined) return found
  const id = newId()
  await insertComponent(tx, { workspaceId, id, name, description: null, createdAt: createdAtOf(id) })
  return id
}

async function assignChunk(
  tx: Queries,
  linker: TraceLinker,
  { workspaceId, componentId }: { workspaceId: string; componentId: string },
  chunk: readonly { id: string; traceId: string }[],
): Promise<number> {
  // In the order of ingestion: the workspace, the component, the traces, the rollups.
  if (!(await lockWorkspaceShared(tx, workspaceId))) throw notFound('Workspace')
  if (!(await lockComponent(tx, workspaceId, componentId))) throw notFound('Component')
  const ids = new Set(chunk.map(({ id }) => id))
  const senderIds = chunk.map(({ traceId }) => traceId)
  const rollups = new RollupChanges()
  const assigned: StoredTrace[] = []
  for (const { id, traceId, state: before } of await findTraceStates(tx, workspaceId, senderIds)) {
    // A late span may have moved the trace to another component since it was listed.
    if (!ids.has(id) || before.componentId !== null) continue
    const state = { ...copyOf(before), componentId }
    await updateTrace(tx, workspaceId, { id, traceId, state })
    const values = without(facetsOfTrace(before), facetsOfTrace(state))
    await deleteFacets(tx, workspaceId, { traceDbId: id, values })
    rollups.add(before, -1)
    rollups.add(state, 1)
    assigned.push({ id, traceId, state, before })
  }
  await linker.linkTraces(tx, workspaceId, assigned)
  await rollups.write(tx, workspaceId)
  return assigned.length
}
