/**
 * Totals of traces per hour of their start and for all time, updated in the transaction that changes the traces. Reading totals needs no
 * counting, and the cost of the overall total does not grow with time.
 *
 * Traces that are not of production are counted twice: with all others, and by their source. So production is what the two differ by, and
 * a trace of production, as nearly all are, costs no further row.
 */

import { NIL_ID } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import { type NewRows, upsertRows } from '../../storage/insert-rows.ts'
import { PromptRollups } from './prompt-rollups.ts'
import type { TraceState } from './trace-state.ts'

export const HOUR_NS = 3_600_000_000_000n
/** The key of the total of all hours. Traces start in 1970 or later. */
export const ALL_TIME = -1

export type Summed = Pick<
  TraceState,
  'startNs' | 'componentId' | 'status' | 'service' | 'environment' | 'totalTokens' | 'costUsd' | 'source' | 'prompts'
>

type Sum = { traces: number; tokens: number; costUsd: number }

/** Collects the changes of a transaction, so that each total is written once. */
export class RollupChanges {
  readonly #all = new Map<string, Sum>()
  readonly #bySource = new Map<string, Sum>()
  readonly #prompts = new PromptRollups()
  readonly #newest = new Map<number, string>()
  /**
   * The bytes that rewritten spans add. The caller adds them to the quota after `write`, as the last statement, because all senders of a
   * workspace wait for that row.
   */
  storedBytes = 0

  add(trace: Summed, sign: 1 | -1): void {
    const hour = Number(trace.startNs / HOUR_NS)
    const { componentId, status, service, environment, source } = trace
    for (const key of [hour, ALL_TIME]) {
      const columns = [key, componentId ?? NIL_ID, status, service ?? '', environment ?? '']
      addTo(this.#all, columns, trace, sign)
      if (source !== null) addTo(this.#bySource, [...columns, source], trace, sign)
    }
    this.#prompts.add(hour, trace, sign)
  }

  /** Records the newest trace that started in its hour. It is harmless if that trace is deleted later. */
  began(traceDbId: string, startNs: bigint): void {
    const hour = Number(startNs / HOUR_NS)
    if (traceDbId > (this.#newest.get(hour) ?? '')) this.#newest.set(hour, traceDbId)
  }

  /** Writes in order of the keys, so that transactions never deadlock. */
  async write(tx: Queries, workspaceId: string): Promise<void> {
    const hours = [...this.#newest].sort(([a], [b]) => a - b)
    await upsertTraceHours(
      tx,
      hours.map(([hour, newestId]) => [workspaceId, hour, newestId]),
    )
    await addToRollups(tx, { table: 'trace_rollups', columns: COLUMNS, rows: rowsOf(this.#all, workspaceId) })
    const bySource = rowsOf(this.#bySource, workspaceId)
    if (bySource.length > 0)
      await addToRollups(tx, { table: 'trace_source_rollups', columns: SOURCE_COLUMNS, rows: bySource })
    await this.#prompts.write(tx, workspaceId)
  }
}

function addTo(changes: Map<string, Sum>, columns: readonly unknown[], trace: Summed, sign: 1 | -1): void {
  const key = JSON.stringify(columns)
  const change = changes.get(key) ?? { traces: 0, tokens: 0, costUsd: 0 }
  change.traces += sign
  change.tokens += sign * (trace.totalTokens ?? 0)
  change.costUsd += sign * (trace.costUsd ?? 0)
  changes.set(key, change)
}

type Rows = NewRows<'trace_rollups'>['rows']

function rowsOf(changes: ReadonlyMap<string, Sum>, workspaceId: string): Rows {
  const isChange = ({ traces, tokens, costUsd }: Sum) => traces !== 0 || tokens !== 0 || costUsd !== 0
  return [...changes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([, change]) => isChange(change))
    .map(([key, { traces, tokens, costUsd }]) => [workspaceId, ...JSON.parse(key), traces, tokens, costUsd])
}

/** Notes the newest trace of each hour. Rows have the columns of the statement. */
function upsertTraceHours(tx: Queries, rows: Rows): Promise<void> {
  return upsertRows(
    tx,
    { table: 'trace_hours', columns: ['workspace_id', 'hour', 'newest_id'], rows },
    `on conflict (workspace_id, hour) do update set newest_id = excluded.newest_id
      where trace_hours.newest_id < excluded.newest_id`,
  )
}

const KEY = ['workspace_id', 'hour', 'component_id', 'status', 'service', 'environment'] as const
const SUMS = ['traces', 'tokens', 'cost_usd'] as const
const COLUMNS = [...KEY, ...SUMS] as const
const SOURCE_COLUMNS = [...KEY, 'source', ...SUMS] as const

function addToRollups<Table extends 'trace_rollups' | 'trace_source_rollups'>(
  tx: Queries,
  rows: NewRows<Table>,
): Promise<void> {
  const { table } = rows
  const key = table === 'trace_rollups' ? KEY : [...KEY, 'source']
  return upsertRows(
    tx,
    rows,
    `on conflict (${key.join(', ')}) do update set
      traces = ${table}.traces + excluded.traces, tokens = ${table}.tokens + excluded.tokens,
      cost_usd = ${table}.cost_usd + excluded.cost_usd`,
  )
}
