import type { Component, Dataset, DatasetItem, NewDatasetItem } from '../generated/api.ts'
import type { Touchstone } from '../touchstone.ts'
import { attributeText } from '../tracing/attribute-text.ts'
import { findDataset } from './find-by-name.ts'

const ITEMS_PER_REQUEST = 500

/** An item of a program: at least an input, which names it. */
export type DataItem = Omit<NewDatasetItem, 'traceId'> & { input: unknown }

/**
 * Creates the dataset and the items that it does not have, recognized by their input, and updates expected outputs that have changed.
 * Items that only the dataset has stay: other people may have added them.
 */
export async function ensureItems(
  client: Touchstone,
  component: Component,
  { dataset: name, data, signal }: { dataset: string; data: readonly DataItem[]; signal: AbortSignal | undefined },
): Promise<Dataset> {
  const found = await findDataset(client, component.id, name, signal)
  const dataset = found ?? (await client.datasets.create(component.id, { name }, { signal }))
  const params = [component.id, dataset.id] as const
  const known = new Map<string, DatasetItem>()
  for await (const item of client.datasets.items.list(...params, {}, { signal })) known.set(item.input ?? '', item)
  const missing = new Map<string, DataItem>()
  for (const item of data) {
    const text = attributeText(item.input) ?? ''
    const found = known.get(text)
    if (!found) missing.set(text, item)
    else if (item.expected !== undefined && attributeText(item.expected) !== found.expected) {
      await client.datasets.items.update(...params, found.id, { expected: item.expected }, { signal })
    }
  }
  const created = [...missing.values()]
  for (let at = 0; at < created.length; at += ITEMS_PER_REQUEST) {
    await client.datasets.items.create(...params, created.slice(at, at + ITEMS_PER_REQUEST), { signal })
  }
  return dataset
}
