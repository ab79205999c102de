/**
 * How production used prompts, per component and hour: numbers for every version without reading its traces. A trace counts once for each
 * version (`traces`, with its cost), and once for each label and source of it (`uses`).
 */
import type { Queries } from '../../storage/db.ts'
import { upsertRows } from '../../storage/insert-rows.ts'
import { splitPromptName } from './trace-prompts.ts'
import type { TraceState } from './trace-state.ts'

type Used = Pick<TraceState, 'componentId' | 'costUsd' | 'source' | 'prompts'>

type Sum = { traces: number; uses: number; priced: number; costUsd: number }

export class PromptRollups {
  readonly #changes = new Map<string, Sum>()

  add(hour: number, { componentId, costUsd, source, prompts }: Used, sign: 1 | -1): void {
    if (prompts.length === 0 || source !== null || componentId === null) return
    let last: string | undefined
    // In order of names, so that the labels of one version follow each other.
    for (const { name, label, source: had } of prompts) {
      const { prompt, version } = splitPromptName(name)
      const key = JSON.stringify([componentId, hour, prompt, version, label ?? '', had ?? ''])
      const change = this.#changes.get(key) ?? { traces: 0, uses: 0, priced: 0, costUsd: 0 }
      change.uses += sign
      if (name !== last) {
        change.traces += sign
        change.priced += costUsd === null ? 0 : sign
        change.costUsd += sign * (costUsd ?? 0)
      }
      last = name
      this.#changes.set(key, change)
    }
  }

  /** In order of the keys, so that transactions never deadlock. */
  async write(tx: Queries, workspaceId: string): Promise<void> {
    const rows = [...this.#changes]
      .filter(([, { traces, uses, priced, costUsd }]) => traces !== 0 || uses !== 0 || priced !== 0 || costUsd !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, sum]) => [workspaceId, ...JSON.parse(key), sum.traces, sum.uses, sum.priced, sum.costUsd])
    if (rows.length === 0) return
    await upsertRows(
      tx,
      { table: 'prompt_rollups', columns: [...KEY, 'traces', 'uses', 'priced', 'cost_usd'], rows },
      `on conflict (${KEY.join(', ')}) do update set
        traces = prompt_rollups.traces + excluded.traces, uses = prompt_rollups.uses + excluded.uses,
        priced = prompt_rollups.priced + excluded.priced, cost_usd = prompt_rollups.cost_usd + excluded.cost_usd`,
    )
  }
}

const KEY = ['workspace_id', 'component_id', 'hour', 'prompt', 'version', 'label', 'source'] as const
