import type { Component, Dataset, DatasetItem } from '../generated/api.ts'
import { TouchstoneError } from '../sdk-errors.ts'
import type { Touchstone } from '../touchstone.ts'
import { ensureItems } from './ensure-items.ts'
import type { EvaluateOptions } from './evaluate-options.ts'
import { findComponent, requireDataset } from './find-by-name.ts'

interface ItemsOfDataset {
  component: Component
  dataset: Dataset
  items: DatasetItem[]
}

/** The items to run. Throws if there are none. */
export async function readItems<Output>(
  client: Touchstone,
  options: Pick<EvaluateOptions<Output>, 'component' | 'dataset' | 'data' | 'split' | 'signal'>,
): Promise<ItemsOfDataset> {
  const { dataset: name, data, split, signal } = options
  const component = await findComponent(client, options.component, signal)
  const dataset = data
    ? await ensureItems(client, component, { dataset: name, data, signal })
    : await requireDataset(client, component.id, name, signal)
  const items = await client.datasets.items.list(component.id, dataset.id, split ? { split } : {}, { signal }).toArray()
  if (items.length > 0) return { component, dataset, items }
  throw new TouchstoneError(`The dataset "${dataset.name}" has no items${split ? ` in ${split}` : ''}.`)
}
