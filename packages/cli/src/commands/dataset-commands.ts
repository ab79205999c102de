import { requireDataset } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { confirmDeletion } from '../confirm.ts'
import { printList, printResource } from '../print-resource.ts'
import { openSession } from '../session.ts'

type Flags = CommonFlags & { component?: string }

export async function listDatasets(this: CliContext, flags: Flags & { limit?: number }): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  const entries = await client.datasets.list(id, {}, { signal: this.signal }).toArray({ max: flags.limit ?? 50 })
  printList(this, flags, { entries, columns: ['id', 'name', 'itemCount', 'createdAt'] })
}

export async function getDataset(this: CliContext, flags: Flags, name: string): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  printResource(this, flags, await requireDataset(client, id, name, this.signal))
}

export async function createDataset(
  this: CliContext,
  flags: Flags & { description?: string },
  name: string,
): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  const { description } = flags
  const body = { name, ...(description !== undefined && { description }) }
  printResource(this, flags, await client.datasets.create(id, body, { signal: this.signal }))
}

export async function deleteDataset(this: CliContext, flags: Flags & { yes?: boolean }, name: string): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  const dataset = await requireDataset(client, id, name, this.signal)
  await confirmDeletion(this, `the dataset "${dataset.name}" with ${dataset.itemCount} items and its runs`, flags.yes)
  await client.datasets.delete(id, dataset.id, { signal: this.signal })
  this.terminal.message(`Deleted the dataset "${dataset.name}".`)
}
