import { isUuid } from '../base/ids.ts'
import { defaultEvaluators } from '../evaluators/default-evaluators.ts'
import { asksModel, ConfigError, type Evaluator } from '../evaluators/evaluator.ts'
import { readEvaluators } from '../evaluators/read-evaluators.ts'

const REPETITIONS_MAX = 100
const CONCURRENCY_MAX = 100
const CONCURRENCY_USUALLY = 4

type Gate = { metric: string; margin: number | undefined }

/** What an evaluation is told to do. */
export type EvaluationConfig = {
  evaluators: Evaluator[]
  /** The config names none of them: what is asked for is the analysis, and whatever applies. */
  isByDefault: boolean
  /** The name of a connection; undefined: the server's own. */
  provider: string | undefined
  /** How often each question is asked of a model. What needs none gives the same verdict each time, and is asked once. */
  repetitions: number
  concurrency: number
  baselineRunId: string | undefined
  gate: Gate | undefined
  maxCostUsd: number | undefined
  /** Whether to try how easily judges are talked into something. */
  canaries: boolean
}

/** Reads the keys that are known; what makes no sense in them throws a ConfigError, whatever else `config` holds is left alone. */
export function readConfig(config: Record<string, unknown>): EvaluationConfig {
  const { evaluators, provider, repetitions, concurrency, baselineRunId, gate, maxCostUsd, canaries = false } = config
  if (baselineRunId !== undefined && !(isText(baselineRunId) && isUuid(baselineRunId))) {
    throw new ConfigError('config.baselineRunId must be the id of a run')
  }
  if (maxCostUsd !== undefined && !(typeof maxCostUsd === 'number' && maxCostUsd > 0)) {
    throw new ConfigError('config.maxCostUsd must be a number above 0')
  }
  if (typeof canaries !== 'boolean') throw new ConfigError('config.canaries must be true or false')
  if (provider !== undefined && !isText(provider))
    throw new ConfigError('config.provider must be the name of a connection')
  const read = {
    evaluators: evaluators === undefined ? defaultEvaluators() : readEvaluators(evaluators),
    isByDefault: evaluators === undefined,
    provider,
    repetitions: readCount(repetitions, { key: 'repetitions', most: REPETITIONS_MAX, otherwise: 1 }),
    concurrency: readCount(concurrency, { key: 'concurrency', most: CONCURRENCY_MAX, otherwise: CONCURRENCY_USUALLY }),
    baselineRunId: baselineRunId?.toLowerCase(),
    gate: gate === undefined ? undefined : readGate(gate),
    maxCostUsd,
    canaries,
  }
  checkBaseline(read)
  return read
}

export function askedOf(config: EvaluationConfig): { name: string; repetitions: number }[] {
  return config.evaluators.map((evaluator) => ({ name: evaluator.name, repetitions: askedTimes(config, evaluator) }))
}

/** What needs no model gives the same verdict each time; to ask it again would only make the numbers look surer than they are. */
export function askedTimes({ repetitions }: EvaluationConfig, evaluator: Evaluator): number {
  return asksModel(evaluator) ? repetitions : 1
}

function readGate(gate: unknown): Gate {
  if (typeof gate !== 'object' || gate === null || Array.isArray(gate))
    throw new ConfigError('config.gate must be an object')
  const { metric, margin, ...others }: Record<string, unknown> = { ...gate }
  const [unknown] = Object.keys(others)
  // A margin that is misspelt would be a gate without one.
  if (unknown !== undefined)
    throw new ConfigError(`config.gate.${unknown.slice(0, 100)} is not known; a gate has metric and margin`)
  if (!isText(metric)) throw new ConfigError('config.gate.metric must be the name of a metric')
  if (margin !== undefined && !(typeof margin === 'number' && margin >= 0)) {
    throw new ConfigError('config.gate.margin must be a number of at least 0')
  }
  return { metric, margin }
}

function checkBaseline({ gate, baselineRunId, evaluators }: EvaluationConfig): void {
  if (baselineRunId !== undefined) return
  if (gate) throw new ConfigError('config.gate needs config.baselineRunId, the run to compare with')
  const needing = evaluators.find(({ needs }) => needs.includes('baseline'))
  if (needing)
    throw new ConfigError(`config.baselineRunId is missing: ${needing.name} compares with what that run answered`)
}

function readCount(value: unknown, { key, most, otherwise }: { key: string; most: number; otherwise: number }): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
  throw new ConfigError(`config.${key} must be a whole number from 1 to ${most}`)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
