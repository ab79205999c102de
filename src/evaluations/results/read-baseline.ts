import { findComparedRun } from '../../comparisons/pairing/comparison-queries.ts'
import { readRunData } from '../../comparisons/pairing/read-run-data.ts'
import { ConfigError } from '../../evaluators/evaluator.ts'
import type { Queries } from '../../storage/db.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'
import type { CaseSource } from '../runner/case-queries.ts'

/**
 * Returns the traces of the baseline run by item; if an item has several, the first. Empty unless an evaluator needs
 * the baseline. Throws a ConfigError if the run cannot be compared.
 */
export async function readBaseline(
  { read, bulk }: { read: Queries; bulk: Queries },
  { config, source, hasBegun }: { config: EvaluationConfig; source: CaseSource; hasBegun: boolean },
): Promise<Map<string, string>> {
  const { workspaceId } = source
  const { baselineRunId } = config
  if (baselineRunId === undefined) return new Map()
  const run = await findComparedRun(read, { workspaceId, runId: baselineRunId })
  // Deleted since the evaluation started: the existing scores stay valid, and the others can be computed without the
  // baseline.
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
