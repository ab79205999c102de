import { findComponent } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { confirmDeletion } from '../confirm.ts'
import { printList, printResource } from '../print-resource.ts'
import { openSession } from '../session.ts'

export const TRACE_COLUMNS = ['id', 'startTime', 'status', 'durationMs', 'totalTokens', 'totalCostUsd', 'name'] as const

export interface TraceFilter {
  component?: string
  query?: string
}

export async function listTraces(
  this: CliContext,
  flags: CommonFlags & TraceFilter & { limit?: number },
): Promise<void> {
  const { client } = await openSession(this, flags)
  const { component, query: q, limit: max = 50 } = flags
  // Not the component of the project: all traces are what one looks for first.
  const found = component === undefined ? undefined : await findComponent(client, component, this.signal)
  const query = { ...(found && { component_id: found.id }), ...(q !== undefined && { q }), limit: Math.min(max, 100) }
  let page = await client.traces.list(query, { signal: this.signal }).page()
  const { searchedSince } = page
  const entries = page.data
  while (entries.length < max && page.next) {
    page = await page.next()
    entries.push(...page.data)
  }
  printList(this, flags, { entries: entries.slice(0, max), columns: [...TRACE_COLUMNS] })
  if (searchedSince)
    this.terminal.message(
      `Only traces since ${searchedSince} were searched: add start:<${searchedSince} for earlier ones.`,
    )
}

export async function getTrace(this: CliContext, flags: CommonFlags, id: string): Promise<void> {
  const { client } = await openSession(this, flags)
  printResource(this, flags, await client.traces.get(id, {}, { signal: this.signal }))
}

export async function deleteTrace(this: CliContext, flags: CommonFlags & { yes?: boolean }, id: string): Promise<void> {
  const { client } = await openSession(this, flags)
  const trace = await client.traces.get(id, { spans: 'none' }, { signal: this.signal })
  await confirmDeletion(this, `the trace ${trace.id} ("${trace.name ?? 'without a name'}")`, flags.yes)
  await client.traces.delete(trace.id, { signal: this.signal })
  this.terminal.message(`Deleted the trace ${trace.id}.`)
}
