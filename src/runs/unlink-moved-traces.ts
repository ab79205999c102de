/**
 * Takes a trace away from datasets and runs that its spans no longer name, because a span that is believed before the others has arrived
 * and names other ones. Without this the links would depend on the order of arrival.
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

/** Where a trace belongs by what its spans say now. */
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
  /** Items of traces that stay in their dataset: ids by trace. Whether they stay items is decided with the others of the dataset. */
  ownItems: Map<string, string>
}

/** `destinationOf` is asked for each of the traces; undefined if it belongs nowhere. */
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

/** Does nothing where the dataset or its component has been deleted: its rows go with it. */
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
