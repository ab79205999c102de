import { findRun } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { confirmDeletion } from '../confirm.ts'
import { EXIT } from '../exit-code-values.ts'
import { printList, printResource } from '../print-resource.ts'
import { openSession } from '../session.ts'

type Flags = CommonFlags & { component?: string; run?: string }

export async function listAnnotations(this: CliContext, flags: Flags & { limit?: number }): Promise<void> {
  const { client, componentId, runId } = await openRun(this, flags)
  const pages = client.annotations.list(componentId, runId, {}, { signal: this.signal })
  const entries = await pages.toArray({ max: flags.limit ?? 50 })
  printList(this, flags, { entries, columns: ['id', 'traceDbId', 'userId', 'rating', 'comment', 'createdAt'] })
}

export async function createAnnotation(
  this: CliContext,
  flags: Flags & { rating?: string; comment?: string },
  traceDbId: string,
): Promise<void> {
  const { rating, comment } = flags
  if (rating === undefined && comment === undefined) throw new CliError('Pass --rating or --comment.', EXIT.usage)
  const { client, componentId, runId } = await openRun(this, flags)
  const body = { traceDbId, ...(rating !== undefined && { rating }), ...(comment !== undefined && { comment }) }
  printResource(this, flags, await client.annotations.create(componentId, runId, body, { signal: this.signal }))
}

export async function deleteAnnotation(this: CliContext, flags: Flags & { yes?: boolean }, id: string): Promise<void> {
  const { client, componentId, runId } = await openRun(this, flags)
  await confirmDeletion(this, `the annotation ${id}`, flags.yes)
  await client.annotations.delete(componentId, runId, id, { signal: this.signal })
  this.terminal.message(`Deleted the annotation ${id}.`)
}

async function openRun(context: CliContext, flags: Flags) {
  const { client, component, project } = await openSession(context, flags)
  const name = flags.run ?? project?.run
  if (name === undefined) throw new CliError('Which run? Pass --run, or set run in touchstone.yaml.', EXIT.usage)
  const { id: componentId } = await component(flags.component)
  const { id: runId } = await findRun(client, { componentId }, name, context.signal)
  return { client, componentId, runId }
}
