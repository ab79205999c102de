import { setTimeout as delay } from 'node:timers/promises'
import type { TraceRow } from 'touchstone-sdk'
import { ConnectionError, findComponent, type Touchstone } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { escapeLine, printableJson } from '../output/escape-text.ts'
import { openSession } from '../session.ts'
import { TRACE_COLUMNS, type TraceFilter } from './trace-commands.ts'

const PAGE = 100
const SEEN_MAX = 10_000
const POLL_MS = 2000

/** Prints traces as they arrive, until Ctrl-C. */
export async function tailTraces(
  this: CliContext,
  flags: CommonFlags & TraceFilter & { last?: number },
): Promise<void> {
  const { client } = await openSession(this, flags)
  const { component, query: q, last = 10 } = flags
  const found = component === undefined ? undefined : await findComponent(client, component, this.signal)
  const query = { sort: '-arrival' as const, ...(found && { component_id: found.id }), ...(q !== undefined && { q }) }
  const seen = new Set<string>()
  const print = (rows: TraceRow[]) => {
    for (const row of rows) this.terminal.data(`${flags.json ? printableJson(row, 0) : lineOf(row)}\n`)
  }
  const first = await client.traces.list({ ...query, limit: PAGE }, { signal: this.signal }).page()
  for (const { id } of first.data) seen.add(id)
  if (last > 0) print(first.data.slice(0, last).reverse())
  for await (const _ of changes(client, this.signal)) print(await readNew(client, { query, seen, signal: this.signal }))
}

interface Reading {
  query: { sort: '-arrival'; component_id?: string; q?: string }
  seen: Set<string>
  signal: AbortSignal
}

/** New traces, oldest first. Traces that arrive together can become visible in another order: a page is read past the first known one. */
async function readNew(client: Touchstone, { query, seen, signal }: Reading): Promise<TraceRow[]> {
  const rows: TraceRow[] = []
  let page = await client.traces.list({ ...query, limit: PAGE }, { signal }).page()
  while (true) {
    const unseen = page.data.filter(({ id }) => !seen.has(id))
    rows.push(...unseen)
    if (unseen.length < page.data.length || !page.next) break
    page = await page.next()
  }
  for (const { id } of rows.toReversed()) seen.add(id)
  for (const id of seen) {
    if (seen.size <= SEEN_MAX) break
    seen.delete(id)
  }
  return rows.reverse()
}

/** Yields when the server reports new traces, and every two seconds where streams are cut off. Never ends by itself. */
async function* changes(client: Touchstone, signal: AbortSignal): AsyncGenerator<void, void, undefined> {
  while (true) {
    try {
      for await (const { event } of client.events('/events', { query: { topics: 'traces' }, signal })) {
        // `ready` as well: what arrived while there was no stream is not reported again.
        if (event === 'ready' || event === 'changed') yield
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
    }
    await delay(POLL_MS, undefined, { signal })
    yield
  }
}

function lineOf(row: TraceRow): string {
  return TRACE_COLUMNS.map((column) => escapeLine(String(row[column] ?? ''))).join('\t')
}
