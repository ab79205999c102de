/** Datasets, items and runs: found by name or key, created if missing. */
import type { NewDatasetItem } from 'touchstone-sdk'
import { findDataset } from 'touchstone-sdk/client'
import type { DatasetRecord, ItemRecord, RunRecord } from './import-record.ts'
import { type ImportTarget, requireStored, runKey, type StoredDataset, sendInHalves } from './import-target.ts'

export async function storeDataset(target: ImportTarget, { name, description }: DatasetRecord): Promise<void> {
  const { client, component, signal, tally, datasets } = target
  if (datasets.has(name)) {
    // Several files may have the same dataset; it is one.
    return
  }
  const found = component.id === undefined ? undefined : await findDataset(client, component.id, name, signal)
  if (found && component.id !== undefined) {
    tally.alreadyThere('datasets')
    datasets.set(name, { id: found.id, items: await readItemKeys(target, component.id, found.id) })
    return
  }
  tally.created('datasets')
  if (target.isDryRun || component.id === undefined) {
    datasets.set(name, { id: undefined, items: new Map() })
    return
  }
  const body = { name, ...(description !== undefined && { description }) }
  const { id } = await client.datasets.create(component.id, body, { signal })
  datasets.set(name, { id, items: new Map() })
}

async function readItemKeys({ client, source, signal }: ImportTarget, componentId: string, datasetId: string) {
  const keys = new Map<string, string>()
  for await (const { id, metadata } of client.datasets.items.list(componentId, datasetId, {}, { signal })) {
    const { importedFrom, importId }: Record<string, unknown> = metadata
    if (importedFrom === source && typeof importId === 'string') keys.set(importId, id)
  }
  return keys
}

/** Items of one dataset. */
export async function storeItems(target: ImportTarget, records: ItemRecord[]): Promise<void> {
  const [first] = records
  if (!first) return
  const dataset = requireStored(target.datasets, first.dataset, 'dataset')
  const missing = new Map<string, ItemRecord>()
  for (const record of records) {
    if (dataset.items.has(record.key) || missing.has(record.key)) target.tally.alreadyThere('items')
    else missing.set(record.key, record)
  }
  await sendInHalves(
    [...missing.values()],
    (batch) => createItems(target, dataset, batch),
    ({ key }, reason) => target.tally.notTaken({ of: 'items', what: key, reason }),
  )
}

async function createItems(target: ImportTarget, dataset: StoredDataset, batch: ItemRecord[]): Promise<void> {
  const { client, component, source, signal, tally } = target
  const created =
    component.id === undefined || dataset.id === undefined || target.isDryRun
      ? []
      : await client.datasets.items.create(
          component.id,
          dataset.id,
          batch.map((record) => newItem(record, source)),
          { signal },
        )
  // The server responds in the order of the request.
  for (const [index, { key }] of batch.entries()) dataset.items.set(key, created[index]?.id ?? '')
  tally.created('items', batch.length)
}

function newItem({ key, input, output, expected, metadata, split }: ItemRecord, source: string): NewDatasetItem {
  return {
    input,
    ...(output !== undefined && { output }),
    ...(expected !== undefined && { expected }),
    metadata: { ...metadata, importedFrom: source, importId: key },
    ...(split && { split }),
  }
}

export async function storeRun(target: ImportTarget, { dataset, name, metadata }: RunRecord): Promise<void> {
  const { client, component, signal, tally, runs } = target
  const key = runKey(dataset, name)
  if (runs.has(key)) return
  const { id: datasetId } = requireStored(target.datasets, dataset, 'dataset')
  const found = component.id && datasetId ? await findRunOf(target, component.id, datasetId, name) : undefined
  if (found && component.id !== undefined) {
    tally.alreadyThere('runs')
    runs.set(key, { id: found })
    await setRunMetadata(target, { componentId: component.id, runId: found }, metadata)
    return
  }
  tally.created('runs')
  if (target.isDryRun || component.id === undefined || datasetId === undefined) {
    runs.set(key, { id: undefined })
    return
  }
  const componentId = component.id
  const { id: runId } = await client.runs.create(componentId, { datasetId, name }, { signal })
  runs.set(key, { id: runId })
  await setRunMetadata(target, { componentId, runId }, metadata)
}

const FIELDS_MAX = 50
const TEXT_MAX = 2000
const METADATA = '/components/{componentId}/runs/{runId}/metadata'

/** Sets the fields that are missing: an import may have been interrupted before, and what was changed since stays. */
async function setRunMetadata(
  { client, signal, isDryRun }: ImportTarget,
  params: { componentId: string; runId: string },
  wanted: RunRecord['metadata'] = {},
): Promise<void> {
  if (isDryRun || Object.keys(wanted).length === 0) return
  const { metadata: stored } = await client.request('GET', METADATA, { params, signal })
  const missing = Object.entries(wanted).filter(([name]) => !Object.hasOwn(stored, name))
  const metadata = Object.fromEntries(missing.slice(0, FIELDS_MAX).map(([name, value]) => [name, cut(value)]))
  if (Object.keys(metadata).length > 0) await client.request('PATCH', METADATA, { params, body: { metadata }, signal })
}

async function findRunOf({ client, signal }: ImportTarget, componentId: string, datasetId: string, name: string) {
  for await (const run of client.runs.list(componentId, {}, { signal })) {
    if (run.datasetId === datasetId && run.name === name) return run.id
  }
  return undefined
}

function cut(value: string | number | boolean): string | number | boolean {
  return typeof value === 'string' ? value.slice(0, TEXT_MAX) : value
}
