import { isUuid } from '../base/ids.ts'
import { isSplit, SPLITS, type Split } from '../datasets/splits/split.ts'
import { asksModel, ConfigError, type Evaluator } from '../evaluators/evaluator.ts'
import { defaultEvaluators, readEvaluators } from '../evaluators/read-evaluators.ts'
import { isCount, PLANNED_ITEMS_MAX, PLANNED_LOOKS } from '../scores/stored-config.ts'

const REPETITIONS_MAX = 100
const CONCURRENCY_MAX = 100
const CONCURRENCY_DEFAULT = 4
/** About as many as there are evaluations that take turns in one thread. */
const CONFIGS_CACHED_MAX = 8

type Gate = {
  metric: string
  margin: number | undefined
  maxMissing: number | undefined
  corrected: boolean
  sequential: boolean
}

/** The config of an evaluation, read and checked: all phases of an evaluation and its dry run use this type. */
export type EvaluationConfig = {
  /** The stored JSON text. Evaluators cannot be sent to another thread, so a worker gets this text and reads it. */
  text: string
  evaluators: Evaluator[]
  /** True if the config names no evaluators: the evaluation runs the analysis and all default evaluators that apply. */
  isByDefault: boolean
  /** The name of a connection; undefined for the default connection of the server. */
  provider: string | undefined
  /**
   * How often each question is sent to a model. Evaluators without a model run once, because they always give the same
   * verdict.
   */
  repetitions: number
  concurrency: number
  baselineRunId: string | undefined
  /** Evaluates only items of this split. */
  split: Split | undefined
  gate: Gate | undefined
  maxCostUsd: number | undefined
  /** Whether to run the injection check on judges. */
  canaries: boolean
  /** A dataset of labeled answers that judges are asked about with every evaluation, to notice when they change. */
  anchors: string | undefined
}

const cached = new Map<string, EvaluationConfig>()

/**
 * Reads the known keys of a stored config and ignores all others. Throws a ConfigError for an invalid value. Each
 * thread reads a config once and shares its evaluators, which are pure and compile their options at most once.
 */
export function readConfig(text: string): EvaluationConfig {
  const known = cached.get(text)
  if (known) return known
  const config = parseConfig(text)
  if (cached.size === CONFIGS_CACHED_MAX) cached.clear()
  cached.set(text, config)
  return config
}

function parseConfig(text: string): EvaluationConfig {
  const config: Record<string, unknown> = JSON.parse(text)
  const { evaluators, provider, baselineRunId, gate, maxCostUsd, canaries = false, anchors, split } = config
  if (baselineRunId !== undefined && !(isText(baselineRunId) && isUuid(baselineRunId))) {
    throw new ConfigError('config.baselineRunId must be the id of a run')
  }
  if (anchors !== undefined && !(isText(anchors) && isUuid(anchors))) {
    throw new ConfigError('config.anchors must be the id of a dataset')
  }
  if (maxCostUsd !== undefined && !(typeof maxCostUsd === 'number' && maxCostUsd > 0)) {
    throw new ConfigError('config.maxCostUsd must be a number above 0')
  }
  if (split !== undefined && !isSplit(split)) throw new ConfigError(`config.split must be one of ${SPLITS.join(', ')}`)
  if (typeof canaries !== 'boolean') throw new ConfigError('config.canaries must be true or false')
  if (provider !== undefined && !isText(provider))
    throw new ConfigError('config.provider must be the name of a connection')
  const read = {
    text,
    evaluators: evaluators === undefined ? defaultEvaluators() : readEvaluators(evaluators),
    isByDefault: evaluators === undefined,
    provider,
    repetitions: readCount(config, 'repetitions', [1, REPETITIONS_MAX]) ?? 1,
    concurrency: readCount(config, 'concurrency', [1, CONCURRENCY_MAX]) ?? CONCURRENCY_DEFAULT,
    baselineRunId: baselineRunId?.toLowerCase(),
    split,
    gate: gate === undefined ? undefined : readGate(gate),
    maxCostUsd,
    canaries,
    anchors: anchors?.toLowerCase(),
  }
  checkBaseline(read)
  checkPlan(config, read)
  return read
}

export function repetitionsByEvaluator(config: EvaluationConfig): { name: string; repetitions: number }[] {
  return config.evaluators.map((evaluator) => ({ name: evaluator.name, repetitions: repetitionsOf(config, evaluator) }))
}

/** Evaluators without a model always give the same verdict; repeating them would only make the intervals too narrow. */
export function repetitionsOf({ repetitions }: EvaluationConfig, evaluator: Evaluator): number {
  return asksModel(evaluator) ? repetitions : 1
}

const GATE_KEYS = 'metric, margin, maxMissing, corrected and sequential'

function readGate(gate: unknown): Gate {
  if (typeof gate !== 'object' || gate === null || Array.isArray(gate))
    throw new ConfigError('config.gate must be an object')
  const {
    metric,
    margin,
    maxMissing,
    corrected = false,
    sequential = false,
    ...others
  }: Record<string, unknown> = { ...gate }
  const [unknown] = Object.keys(others)
  // A misspelled margin would result in a gate without a margin.
  if (unknown !== undefined)
    throw new ConfigError(`config.gate.${unknown.slice(0, 100)} is not known; a gate has ${GATE_KEYS}`)
  if (!isText(metric)) throw new ConfigError('config.gate.metric must be the name of a metric')
  if (margin !== undefined && !(typeof margin === 'number' && margin >= 0)) {
    throw new ConfigError('config.gate.margin must be a number of at least 0')
  }
  if (maxMissing !== undefined && !(typeof maxMissing === 'number' && maxMissing >= 0 && maxMissing <= 1)) {
    throw new ConfigError('config.gate.maxMissing must be a share of the items, from 0 to 1')
  }
  if (typeof corrected !== 'boolean') throw new ConfigError('config.gate.corrected must be true or false')
  if (typeof sequential !== 'boolean') throw new ConfigError('config.gate.sequential must be true or false')
  return { metric, margin, maxMissing, corrected, sequential }
}

function checkBaseline({ gate, baselineRunId, evaluators }: EvaluationConfig): void {
  if (baselineRunId !== undefined) return
  if (gate) throw new ConfigError('config.gate needs config.baselineRunId, the run to compare with')
  const needing = evaluators.find(({ needs }) => needs.includes('baseline'))
  if (needing)
    throw new ConfigError(`config.baselineRunId is missing: ${needing.name} compares with what that run answered`)
}

/** The plan is read from the stored config when runs are compared: see `StoredConfig`. */
function checkPlan(config: Record<string, unknown>, { gate }: EvaluationConfig): void {
  const looks = readCount(config, 'plannedLooks', PLANNED_LOOKS)
  const items = readCount(config, 'plannedItems', [1, PLANNED_ITEMS_MAX])
  if (looks === undefined && items !== undefined)
    throw new ConfigError('config.plannedItems needs config.plannedLooks, the number of looks')
  const { sequential = false } = config
  if (typeof sequential !== 'boolean') throw new ConfigError('config.sequential must be true or false')
  if (looks !== undefined && (gate?.sequential || sequential))
    throw new ConfigError('config.plannedLooks and config.sequential are two rules for repeated looks; set one')
}

function readCount(config: Record<string, unknown>, key: string, range: readonly [number, number]): number | undefined {
  const value = config[key]
  if (value === undefined || isCount(value, range)) return value
  throw new ConfigError(`config.${key} must be a whole number from ${range[0]} to ${range[1]}`)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
