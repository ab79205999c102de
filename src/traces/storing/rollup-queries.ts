/**
 * Totals of traces per hour of their start and for all time, updated in the transaction that changes the traces. Reading totals needs no
 * counting, and the cost of the overall total does not grow with time.
 */

import { NIL_ID } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import { type NewRows, upsertRows } from '../../storage/insert-rows.ts'
import type { TraceState } from './trace-state.ts'

export const HOUR_NS = 3_600_000_000_000n
/** The key of the total of all hours. Traces start in 1970 or later. */
export const ALL_TIME = -1

type Summed = Pick<
  TraceState,
  'startNs' | 'componentId' | 'status' | 'service' | 'environment' | 'totalTokens' | 'costUsd'
>

type Sum = { traces: number; tokens: number; costUsd: number }

/** Collects the changes of a transaction, so that each total is written once. */
export class RollupChanges {
  readonly #changes = new Map<string, Sum>()
  readonly #newest = new Map<number, string>()
  /**
   * The bytes that rewritten spans add. The caller adds them to the quota after `write`, as the last statement, because all senders of a
   * workspace wait for that row.
   */
  storedBytes = 0

  add(trace: Summed, sign: 1 | -1): void {
    this.#addTo(Number(trace.startNs / HOUR_NS), trace, sign)
    this.#addTo(ALL_TIME, trace, sign)
  }

  /** Records the newest trace that started in its hour. It is harmless if that trace is deleted later. */
  began(traceDbId: string, startNs: bigint): void {
    const hour = Number(startNs / HOUR_NS)
    if (traceDbId > (this.#newest.get(hour) ?? '')) this.#newest.set(hour, traceDbId)
  }

  #addTo(hour: number, trace: Summed, sign: 1 | -1): void {
    const { componentId, status, service, environment } = trace
    const key = JSON.stringify([hour, componentId ?? NIL_ID, status, service ?? '', environment ?? ''])
    const change = this.#changes.get(key) ?? { traces: 0, tokens: 0, costUsd: 0 }
    change.traces += sign
    change.tokens += sign * (trace.totalTokens ?? 0)
    change.costUsd += sign * (trace.costUsd ?? 0)
    this.#changes.set(key, change)
  }

  /** Writes in order of the keys, so that transactions never deadlock. */
  async write(tx: Queries, workspaceId: string): Promise<void> {
    const hours = [...this.#newest].sort(([a], [b]) => a - b)
    await upsertTraceHours(
      tx,
      hours.map(([hour, newestId]) => [workspaceId, hour, newestId]),
    )
    const changes = [...this.#changes].sort(([a], [b]) => (a < b ? -1 : 1))
    const isChange = ({ traces, tokens, costUsd }: Sum) => traces !== 0 || tokens !== 0 || costUsd !== 0
    await addToRollups(
      tx,
      changes
        .filter(([, change]) => isChange(change))
        .map(([key, { traces, tokens, costUsd }]) => [workspaceId, ...JSON.parse(key), traces, tokens, costUsd]),
    )
  }
}

type Rows = NewRows<'trace_rollups'>['rows']

/** Notes the newest trace of each hour. Rows have the columns of the statement. */
function upsertTraceHours(tx: Queries, rows: Rows): Promise<void> {
  return upsertRows(
    tx,
    { table: 'trace_hours', columns: ['workspace_id', 'hour', 'newest_id'], rows },
    `on conflict (workspace_id, hour) do update set newest_id = excluded.newest_id
      where trace_hours.newest_id < excluded.newest_id`,
  )
}

/** Adds to rollups. Rows have the columns of the statement. */
function addToRollups(tx: Queries, rows: Rows): Promise<void> {
  return upsertRows(
    tx,
    {
      table: 'trace_rollups',
      columns: [
        'workspace_id',
        'hour',
        'component_id',
        'status',
        'service',
        'environment',
        'traces',
        'tokens',
        'cost_usd',
      ],
      rows,
    },
    `on conflict (workspace_id, hour, component_id, status, service, environment) do update set
      traces = trace_rollups.traces + excluded.traces, tokens = trace_rollups.tokens + excluded.tokens,
      cost_usd = trace_rollups.cost_usd + excluded.cost_usd`,
  )
}
