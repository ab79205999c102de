import { findRun, requireDataset } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { confirmDeletion } from '../confirm.ts'
import { EXIT } from '../exit-code-values.ts'
import { printList, printResource } from '../print-resource.ts'
import { openSession } from '../session.ts'

type Flags = CommonFlags & { component?: string }

export async function listRuns(this: CliContext, flags: Flags & { limit?: number }): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  const entries = await client.runs.list(id, {}, { signal: this.signal }).toArray({ max: flags.limit ?? 50 })
  printList(this, flags, { entries, columns: ['id', 'name', 'traceCount', 'datasetId', 'createdAt'] })
}

export async function getRun(this: CliContext, flags: Flags, name: string): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  printResource(this, flags, await findRun(client, { componentId: id }, name, this.signal))
}

export async function createRun(
  this: CliContext,
  flags: Flags & { dataset?: string; trace?: readonly string[] },
  name: string,
): Promise<void> {
  const { client, component, project } = await openSession(this, flags)
  const datasetName = flags.dataset ?? project?.dataset
  if (!datasetName) throw new CliError('Which dataset? Pass --dataset, or set dataset in touchstone.yaml.', EXIT.usage)
  const { id } = await component(flags.component)
  const dataset = await requireDataset(client, id, datasetName, this.signal)
  const traceIds = [...(flags.trace ?? [])]
  const body = { datasetId: dataset.id, name, ...(traceIds.length > 0 && { traceIds }) }
  printResource(this, flags, await client.runs.create(id, body, { signal: this.signal }))
}

export async function deleteRun(this: CliContext, flags: Flags & { yes?: boolean }, name: string): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  const run = await findRun(client, { componentId: id }, name, this.signal)
  await confirmDeletion(this, `the run "${run.name ?? run.id}" with its annotations`, flags.yes)
  await client.runs.delete(id, run.id, { signal: this.signal })
  this.terminal.message(`Deleted the run "${run.name ?? run.id}".`)
}
