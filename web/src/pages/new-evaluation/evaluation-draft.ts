import type { EvaluationDetail, EvaluationSummary, Run } from '../../api/generated/api.ts'
import type { NewEvaluation } from '../../api/new-evaluation-query.ts'
import { isObject, withProperty } from '../../ui/schema-form/json-value.ts'

/** The config as the API takes it. The page changes only what it knows; every other key stays as it is. */
export type Config = Record<string, unknown>

export interface EvaluationDraft {
  datasetId: string | undefined
  /** Undefined evaluates the stored outputs of the dataset. */
  runId: string | undefined
  name: string
  config: Config
}

export interface EvaluatorEntry {
  type: string
  name?: string
  [option: string]: unknown
}

export interface Gate {
  metric: string
  margin?: number
  maxMissing?: number
  [key: string]: unknown
}

export const knownKeys = [
  'evaluators',
  'provider',
  'repetitions',
  'concurrency',
  'baselineRunId',
  'gate',
  'split',
  'canaries',
  'anchors',
  'maxCostUsd',
  'plannedLooks',
  'plannedItems',
]

/** Entries that are no objects cannot be drawn; the server rejects them with a message. */
export function evaluatorsOf({ evaluators }: Config): EvaluatorEntry[] {
  return Array.isArray(evaluators) ? evaluators.filter(isEntry) : []
}

export function withEvaluators(config: Config, evaluators: EvaluatorEntry[]): Config {
  return withProperty(config, 'evaluators', evaluators.length === 0 ? undefined : evaluators)
}

export function nameOf({ name, type }: EvaluatorEntry): string {
  return typeof name === 'string' && name !== '' ? name : type
}

/** A gate of another shape is edited as JSON. */
export function gateOf({ gate }: Config): Gate | undefined {
  return isObject(gate) && typeof gate['metric'] === 'string' ? { ...gate, metric: gate['metric'] } : undefined
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Without a run there is nothing to compare, and a gate needs a run to compare with. */
export function compareWith(config: Config, baselineRunId: string | undefined): Config {
  const compared = withProperty(config, 'baselineRunId', baselineRunId)
  return baselineRunId === undefined ? withProperty(compared, 'gate', undefined) : compared
}

type Comparable = Pick<Run, 'id' | 'datasetId' | 'createdAt'>

/** The run to compare with by default: that of the newest comparison on the dataset, or else the run before. */
export function usualBaseline(
  run: Comparable | undefined,
  runs: readonly Comparable[],
  evaluations: readonly EvaluationSummary[],
): string | undefined {
  if (!run) return undefined
  const others = runs.filter(({ id, datasetId }) => datasetId === run.datasetId && id !== run.id)
  const compared = evaluations.flatMap(({ dataset, comparison }) =>
    comparison && dataset.id === run.datasetId ? comparison.baseline.id : [],
  )
  const [newest] = compared.filter((id) => others.some((other) => other.id === id))
  const earlier = others.filter(({ createdAt }) => createdAt <= run.createdAt)
  return newest ?? earlier.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0]?.id
}

export function requestOf({ datasetId, runId, name, config }: EvaluationDraft): NewEvaluation | undefined {
  if (datasetId === undefined) return undefined
  return {
    datasetId,
    ...(runId !== undefined && { runId }),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(Object.keys(config).length > 0 && { config }),
  }
}

interface Source {
  /** The run to evaluate, if the address names one. */
  run: { id: string; datasetId: string } | undefined
  datasetId: string | undefined
}

/**
 * An evaluation that is repeated: of the same run with the same config or, of another run, compared with the run before.
 * A baseline and a gate are only possible with another run of the same dataset.
 */
export function repeatEvaluation(previous: EvaluationDetail, { run, datasetId }: Source): EvaluationDraft {
  const { config } = previous
  if (!run) {
    const isSameDataset = datasetId === undefined || datasetId === previous.datasetId
    const runId = isSameDataset ? (previous.runId ?? undefined) : undefined
    return {
      datasetId: datasetId ?? previous.datasetId,
      runId,
      name: '',
      config: isSameDataset ? config : compareWith(config, undefined),
    }
  }
  const source = { datasetId: run.datasetId, runId: run.id, name: '' }
  if (previous.runId === run.id) return { ...source, config }
  const isComparable = previous.datasetId === run.datasetId && previous.runId !== null
  return { ...source, config: compareWith(config, isComparable ? (previous.runId ?? undefined) : undefined) }
}

function isEntry(value: unknown): value is EvaluatorEntry {
  return isObject(value) && typeof value['type'] === 'string'
}
