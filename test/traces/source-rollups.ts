/** The sums of traces by source and by prompt that are kept, and the same counted from the traces that are there. */
import { NIL_ID } from '../../src/base/ids.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { ALL_TIME } from '../../src/traces/storing/rollup-queries.ts'
import { readPrompts, splitPromptName } from '../../src/traces/storing/trace-prompts.ts'

type Sums = Record<string, number[]>

export async function readSourceRollups(storage: Storage, workspaceId: string): Promise<Sums> {
  const rows = await storage.read
    .selectFrom('trace_source_rollups')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('traces', '<>', 0)
    .execute()
  return Object.fromEntries(
    rows.map(({ hour, component_id, status, service, environment, source, ...row }) => [
      keyOf(hour, component_id, status, service, environment, source),
      [row.traces, row.tokens, rounded(row.cost_usd)],
    ]),
  )
}

export async function countSourceRollups(storage: Storage, workspaceId: string): Promise<Sums> {
  const sums: Sums = {}
  for (const row of await activeTraces(storage, workspaceId)) {
    const { component_id, status, service, environment, source } = row
    if (source === null) continue
    for (const hour of [hourOf(row), ALL_TIME]) {
      const key = keyOf(hour, component_id ?? NIL_ID, status, service ?? '', environment ?? '', source)
      addTo(sums, key, [1, row.total_tokens ?? 0, row.cost_usd ?? 0])
    }
  }
  return sums
}

/** Traces, uses, traces with a cost, and the sum of the costs. */
export async function readPromptRollups(storage: Storage, workspaceId: string): Promise<Sums> {
  const rows = await storage.read
    .selectFrom('prompt_rollups')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('uses', '<>', 0)
    .execute()
  return Object.fromEntries(
    rows.map(({ component_id, hour, prompt, version, label, source, traces, uses, priced, cost_usd }) => [
      keyOf(component_id, hour, prompt, version, label, source),
      [traces, uses, priced, rounded(cost_usd)],
    ]),
  )
}

export async function countPromptRollups(storage: Storage, workspaceId: string): Promise<Sums> {
  const sums: Sums = {}
  for (const row of await activeTraces(storage, workspaceId)) {
    const { component_id, source, cost_usd } = row
    if (source !== null || component_id === null) continue
    const seen = new Set<string>()
    for (const { name, label, source: had } of readPrompts(row.prompts)) {
      const { prompt, version } = splitPromptName(name)
      const isFirst = !seen.has(name)
      seen.add(name)
      const priced = isFirst && cost_usd !== null ? 1 : 0
      const sum = [isFirst ? 1 : 0, 1, priced, isFirst ? (cost_usd ?? 0) : 0]
      addTo(sums, keyOf(component_id, hourOf(row), prompt, version, label ?? '', had ?? ''), sum)
    }
  }
  return sums
}

function activeTraces(storage: Storage, workspaceId: string) {
  return storage.read
    .selectFrom('traces')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .execute()
}

function hourOf({ start_ns }: { start_ns: number }): number {
  return Math.floor(Number(start_ns) / 3.6e12)
}

function keyOf(...parts: unknown[]): string {
  return JSON.stringify(parts)
}

function addTo(sums: Sums, key: string, added: readonly number[]): void {
  const sum = sums[key] ?? added.map(() => 0)
  sums[key] = added.map((value, place) => rounded((sum[place] ?? 0) + value))
}

/** Sums of fractions depend on the order in which they are added, in insignificant digits. */
function rounded(value: number): number {
  return Number(value.toFixed(9))
}
