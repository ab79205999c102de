import type { CliContext, CommonFlags } from '../cli-context.ts'
import { confirmDeletion } from '../confirm.ts'
import { printList, printResource } from '../print-resource.ts'
import { openSession } from '../session.ts'

type Flags = CommonFlags & { component?: string }

export async function listEvaluations(this: CliContext, flags: Flags & { limit?: number }): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  const entries = await client.evaluations.list(id, {}, { signal: this.signal }).toArray({ max: flags.limit ?? 50 })
  printList(this, flags, { entries, columns: ['id', 'name', 'status', 'datasetId', 'createdAt'] })
}

export async function getEvaluation(this: CliContext, flags: Flags, evaluationId: string): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  printResource(this, flags, await client.evaluations.get(id, evaluationId, { signal: this.signal }))
}

export async function cancelEvaluation(this: CliContext, flags: Flags, evaluationId: string): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  printResource(this, flags, await client.evaluations.cancel(id, evaluationId, { signal: this.signal }))
}

export async function deleteEvaluation(
  this: CliContext,
  flags: Flags & { yes?: boolean },
  evaluationId: string,
): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  const { name } = await client.evaluations.get(id, evaluationId, { signal: this.signal })
  await confirmDeletion(this, `the evaluation ${name === null ? evaluationId : `"${name}"`} with its scores`, flags.yes)
  await client.evaluations.delete(id, evaluationId, { signal: this.signal })
  this.terminal.message(`Deleted the evaluation ${evaluationId}.`)
}
