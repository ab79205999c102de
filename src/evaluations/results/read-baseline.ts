import { findComparedRun } from '../../comparisons/comparison-queries.ts'
import { readRunData } from '../../comparisons/read-run-data.ts'
import { ConfigError } from '../../evaluators/evaluator.ts'
import type { Queries } from '../../storage/db.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'
import type { CaseSource } from '../runner/case-queries.ts'

/**
 * By item, what the run to compare with did; of several traces of one item, the first. Empty unless an evaluator compares with it.
 * Throws a ConfigError if that run cannot be compared with.
 */
export async function readBaseline(
  { read, bulk }: { read: Queries; bulk: Queries },
  { config, source, hasBegun }: { config: EvaluationConfig; source: CaseSource; hasBegun: boolean },
): Promise<Map<string, string>> {
  const { workspaceId } = source
  const { baselineRunId } = config
  if (baselineRunId === undefined) return new Map()
  const run = await findComparedRun(read, { workspaceId, runId: baselineRunId })
  // Deleted since: what has been scored is worth as much as before, and the rest can be scored without it.
  if (!run && hasBegun) return new Map()
  if (!run || run.datasetId !== source.datasetId) {
    throw new ConfigError('config.baselineRunId must be a run of the same dataset, and there is none with this id')
  }
  if (config.gate && source.runId === null) throw new ConfigError('config.gate compares runs: name the run to evaluate')
  if (config.gate && source.runId === baselineRunId) {
    throw new ConfigError(
      'config.gate compares runs: config.baselineRunId must be another one than the run to evaluate',
    )
  }
  const refs = new Map<string, string>()
  if (!config.evaluators.some(({ needs }) => needs.includes('baseline'))) return refs
  const { cases } = await readRunData(bulk, { workspaceId, run })
  for (const { itemId, ref } of cases) if (itemId !== null && !refs.has(itemId)) refs.set(itemId, ref)
  return refs
}
