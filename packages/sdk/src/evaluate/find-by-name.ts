import type { Component, Dataset, Run } from '../generated/api.ts'
import { findByName, findNamedComponent, UUID } from '../resources/find-component.ts'
import { NameNotFoundError } from '../sdk-errors.ts'
import type { Touchstone } from '../touchstone.ts'

export async function findComponent(client: Touchstone, name: string, signal?: AbortSignal): Promise<Component> {
  if (UUID.test(name)) return client.components.get(name, { signal })
  return findNamedComponent(client.components, name, { signal })
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
