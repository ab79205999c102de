import { findComponent } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { confirmDeletion } from '../confirm.ts'
import { printList, printResource } from '../print-resource.ts'
import { openSession } from '../session.ts'

export async function listComponents(this: CliContext, flags: CommonFlags & { limit?: number }): Promise<void> {
  const { client } = await openSession(this, flags)
  const entries = await client.components.list({}, { signal: this.signal }).toArray({ max: flags.limit ?? 50 })
  printList(this, flags, { entries, columns: ['id', 'name', 'description', 'createdAt'] })
}

export async function getComponent(this: CliContext, flags: CommonFlags, name: string): Promise<void> {
  const { client } = await openSession(this, flags)
  printResource(this, flags, await findComponent(client, name, this.signal))
}

export async function createComponent(
  this: CliContext,
  flags: CommonFlags & { description?: string },
  name: string,
): Promise<void> {
  const { client } = await openSession(this, flags)
  const { description } = flags
  const { id } = await client.components.create(
    { name, ...(description !== undefined && { description }) },
    { signal: this.signal },
  )
  printResource(this, flags, await client.components.get(id, { signal: this.signal }))
}

export async function deleteComponent(
  this: CliContext,
  flags: CommonFlags & { yes?: boolean },
  name: string,
): Promise<void> {
  const { client } = await openSession(this, flags)
  const component = await findComponent(client, name, this.signal)
  await confirmDeletion(this, `the component "${component.name}" with its datasets, runs and evaluations`, flags.yes)
  await client.components.delete(component.id, { signal: this.signal })
  this.terminal.message(`Deleted the component "${component.name}".`)
}
