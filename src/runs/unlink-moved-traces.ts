/**
 * Removes a trace from datasets and runs that its spans no longer name, because a span that takes precedence has arrived and names
 * others. Without this, the links would depend on the order of arrival.
 */
import { lockComponent } from '../components/component-queries.ts'
import { changeItemCount, lockDatasetExclusive } from '../datasets/dataset-queries.ts'
import type { Queries } from '../storage/db.ts'
import {
  deleteAutomaticItems,
  deleteAutomaticRunTraces,
  listAutomaticItems,
  listAutomaticRuns,
} from './automatic-link-queries.ts'
import { updateTraceCount } from './run-queries.ts'

/** The dataset and run that the spans of a trace name now. */
export type Destination = { datasetId: string; runId: string | undefined }

export type Departure = {
  componentId: string
  datasetId: string
  runId: string | undefined
  itemIds: string[]
  traceIds: string[]
}

export type Moves = {
  departures: Departure[]
  /** Ids of items by trace, for traces that stay in their dataset. Whether they stay items is decided with the others of the dataset. */
  ownItems: Map<string, string>
}

/** `destinationOf` is called for each trace and returns undefined if the trace names no dataset or run. */
export async function findMoves(
  tx: Queries,
  workspaceId: string,
  traceIds: readonly string[],
  destinationOf: (traceId: string) => Destination | undefined,
): Promise<Moves> {
  const departures = new Map<string, Departure>()
  const ownItems = new Map<string, string>()
  if (traceIds.length === 0) return { departures: [], ownItems }
  const departureFrom = (place: Pick<Departure, 'componentId' | 'datasetId' | 'runId'>): Departure => {
    const { componentId, datasetId, runId } = place
    const name = `${componentId} ${datasetId} ${runId}`
    const departure = departures.get(name) ?? { componentId, datasetId, runId, itemIds: [], traceIds: [] }
    departures.set(name, departure)
    return departure
  }
  for (const { id, traceId, datasetId, componentId } of await listAutomaticItems(tx, workspaceId, traceIds)) {
    if (traceId === null) continue
    if (destinationOf(traceId)?.datasetId === datasetId) ownItems.set(traceId, id)
    else departureFrom({ componentId, datasetId, runId: undefined }).itemIds.push(id)
  }
  for (const { traceId, ...place } of await listAutomaticRuns(tx, workspaceId, traceIds)) {
    if (destinationOf(traceId)?.runId !== place.runId) departureFrom(place).traceIds.push(traceId)
  }
  return { departures: [...departures.values()], ownItems }
}

/** Does nothing if the dataset or its component was deleted: its rows are deleted with it. */
export async function unlink(tx: Queries, workspaceId: string, departure: Departure): Promise<void> {
  const { componentId, datasetId, runId, itemIds, traceIds } = departure
  const dataset = { workspaceId, componentId, datasetId }
  const isThere = (await lockComponent(tx, workspaceId, componentId)) && (await lockDatasetExclusive(tx, dataset))
  if (!isThere) return
  if (itemIds.length > 0) {
    const deleted = await deleteAutomaticItems(tx, dataset, itemIds)
    if (deleted > 0) await changeItemCount(tx, { workspaceId, datasetId, by: -deleted })
  }
  if (runId === undefined || traceIds.length === 0) return
  const deleted = await deleteAutomaticRunTraces(tx, { workspaceId, runId }, traceIds)
  if (deleted > 0) await updateTraceCount(tx, { workspaceId, runId, added: -deleted })
}
