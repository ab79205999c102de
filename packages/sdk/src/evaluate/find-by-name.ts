import type { Component, Dataset, Run } from '../generated/api.ts'
import type { Pages } from '../list-pages.ts'
import { NameNotFoundError } from '../sdk-errors.ts'
import type { Touchstone } from '../touchstone.ts'

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export async function findComponent(client: Touchstone, name: string, signal?: AbortSignal): Promise<Component> {
  if (UUID.test(name)) return client.components.get(name, { signal })
  const found = await findByName(client.components.list({}, { signal }), name)
  if (!found) throw new NameNotFoundError(`There is no component named "${name}".`)
  return found
}

/** Undefined if no dataset has this name. An id that does not exist throws. */
export async function findDataset(
  client: Touchstone,
  componentId: string,
  name: string,
  signal?: AbortSignal,
): Promise<Dataset | undefined> {
  if (UUID.test(name)) return client.datasets.get(componentId, name, { signal })
  return findByName(client.datasets.list(componentId, {}, { signal }), name)
}

export async function requireDataset(
  client: Touchstone,
  componentId: string,
  name: string,
  signal?: AbortSignal,
): Promise<Dataset> {
  const found = await findDataset(client, componentId, name, signal)
  if (!found) throw new NameNotFoundError(`There is no dataset named "${name}".`)
  return found
}

/** A run by its id or name, of any dataset if none is given. Of several with this name, the newest. */
export async function findRun(
  client: Touchstone,
  { componentId, datasetId }: { componentId: string; datasetId?: string },
  name: string,
  signal?: AbortSignal,
): Promise<Run> {
  if (UUID.test(name)) return client.runs.get(componentId, name, { signal })
  for await (const run of client.runs.list(componentId, {}, { signal })) {
    if (run.name === name && (datasetId === undefined || run.datasetId === datasetId)) return run
  }
  throw new NameNotFoundError(`The ${datasetId === undefined ? 'component' : 'dataset'} has no run named "${name}".`)
}

async function findByName<Entry extends { name: string }>(
  entries: Pages<Entry>,
  name: string,
): Promise<Entry | undefined> {
  for await (const entry of entries) if (entry.name === name) return entry
  return undefined
}
