import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { closed } from '../http/schemas.ts'
import {
  type Case,
  type CaseTrace,
  ConfigError,
  type Evaluator,
  type EvaluatorDefinition,
  type Need,
  type Verdict,
} from './evaluator.ts'
import { readJson } from './json/json-text.ts'
import { oneLine } from './text/plain-text.ts'
import { TooMuchWork, type WorkBudget, workBudget } from './work-budget.ts'

/** A case that is known to have what the evaluator needs. */
type Judged<N extends Need> = Omit<Case, 'output' | 'expected' | 'trace'> & {
  output: 'output' extends N ? string : string | null
  expected: 'expected' extends N ? string : string | null
  trace: [Extract<N, 'trace' | 'steps'>] extends [never] ? CaseTrace | null : CaseTrace
}

type Judge<N extends Need> = (input: Judged<N>, budget: WorkBudget) => Verdict

type Absent = { label: string; details: Record<string, unknown> }

type Parts<N extends Need, Options extends TProperties> = {
  type: string
  summary: string
  kind: Evaluator['kind']
  needs: readonly N[]
  /** The fields of the options. The option `path` has the same meaning for all evaluators: see `pathOption`. */
  options: Options
  /** Whether these options require the item to have an expected value. */
  needsExpected?(options: Static<TObject<Options>>): boolean
  /** Additional fields of the verdict on an output that has nothing at the path. */
  absent?(expected: string | null, options: Static<TObject<Options>>): Absent
  /** Whether compiling these options may need more than a few milliseconds. Defaults to never. */
  isSlowToCompile?(options: Static<TObject<Options>>): boolean
  /** Compiles the options once, at first use. Throws a ConfigError that names the key below `key`. */
  prepare(options: Static<TObject<Options>>, key: string): Judge<N>
}

/** Declares an evaluator without a model. All of them score from 0 to 1, and higher is better. */
export function defineEvaluator<const N extends Need, Options extends TProperties>(
  parts: Parts<N, Options>,
): EvaluatorDefinition {
  const { type, summary, kind } = parts
  return {
    type,
    summary,
    kind,
    options: closed(parts.options),
    needs: parts.needs,
    create(name, given, key) {
      // The caller has checked the options against the schema: see `EvaluatorDefinition`.
      const checked = given as Static<TObject<Options>>
      let compiled: Judge<N> | undefined
      const judge = () => {
        compiled ??= parts.prepare(checked, key)
        return compiled
      }
      const select = pathSelector(given.path, `${key}.path`)
      const needs: readonly Need[] = parts.needsExpected?.(checked) ? [...parts.needs, 'expected'] : parts.needs
      const judgeCase = (input: Case, budget: WorkBudget): Verdict => {
        const lack = lackOf(input, needs)
        if (lack !== undefined) return skipped(lack)
        const selected = select(input, budget)
        // Whether the case has what the evaluator needs is known from `lackOf` and from the output that was selected.
        if (selected.output !== null || !needs.includes('output')) return judge()(selected as Judged<N>, budget)
        // Wrong instead of skipped: the output lacks what was requested.
        return {
          ...nothing(kind, given),
          ...parts.absent?.(selected.expected, checked),
        }
      }
      const evaluate: Evaluator['evaluate'] = (input, { budget = workBudget() }) => {
        try {
          return judgeCase(input, budget)
        } catch (error) {
          if (error instanceof TooMuchWork) return skipped(`the texts are too large for ${type}: ${error.message}`)
          throw error
        }
      }
      return {
        type,
        name,
        kind,
        scale: [0, 1],
        higherIsBetter: true,
        needs,
        isSlowToCompile: parts.isSlowToCompile?.(checked) ?? false,
        compile: judge,
        evaluate,
      }
    },
  }
}

/** Graded evaluators have a pass verdict only with the option `passAt`. */
function nothing(kind: Evaluator['kind'], { path, passAt }: Record<string, unknown>): Verdict {
  const reason = `the output has nothing at ${path}`
  return kind === 'numeric' ? graded(0, typeof passAt === 'number' ? passAt : undefined, reason) : binary(false, reason)
}

export const pathOption = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description:
      'Where in a JSON output to look, such as answer.city or choices[0].text; in the expected value as well, if it has something there. Default: the whole output.',
  }),
)

/** An option that is off unless it is given. */
export function flagOption(description: string) {
  return Type.Optional(Type.Boolean({ default: false, description: `${description} Default: false.` }))
}

export const ignoreCaseOption = flagOption('Whether upper and lower case are the same.')

export const passAtOption = Type.Optional(
  Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The minimum score to pass. Default: none, so that cases neither pass nor fail.',
  }),
)

/** Returns the reason why a case lacks a need; undefined if it lacks none. */
function lackOf(input: Case, needs: readonly Need[]): string | undefined {
  if ((needs.includes('trace') || needs.includes('steps')) && input.trace === null) return 'the trace has not arrived'
  if (needs.includes('output') && input.output === null) return 'there is no output'
  if (needs.includes('expected') && input.expected === null) return 'the item has no expected value'
  return undefined
}

type Details = Readonly<Record<string, unknown>>

/** A right or wrong verdict. A right one has no reason. */
export function binary(isRight: boolean, reason: string | undefined, details?: Details): Verdict {
  return {
    state: 'scored',
    score: isRight ? 1 : 0,
    passed: isRight,
    ...(isRight || reason === undefined ? {} : { reason: oneLine(reason) }),
    ...(details && { details }),
  }
}

/** A score. It has a pass verdict only with a threshold. */
export function graded(score: number, passAt: number | undefined, reason?: string, details?: Details): Verdict {
  return {
    state: 'scored',
    score,
    ...(passAt === undefined ? {} : { passed: score >= passAt }),
    ...(score === 1 || reason === undefined ? {} : { reason: oneLine(reason) }),
    ...(details && { details }),
  }
}

export function skipped(reason: string): Verdict {
  return { state: 'skipped', reason: oneLine(reason) }
}

/**
 * Narrows a case to a part of its output, which is null if there is none. The expected value is narrowed only if it
 * has something at the path; else it is that part already.
 */
function pathSelector(path: unknown, key: string): (input: Case, budget: WorkBudget) => Case {
  if (typeof path !== 'string') return (input) => input
  const steps = parsePath(path)
  if (!steps) throw new ConfigError(`${key} must be a path such as answer.city or choices[0].text`)
  return (input, budget) => {
    const output = input.output === null ? null : (textAt(input.output, steps, budget) ?? null)
    const expected = input.expected === null ? null : (textAt(input.expected, steps, budget) ?? input.expected)
    return { ...input, output, expected }
  }
}

function textAt(text: string, steps: readonly string[], budget: WorkBudget): string | undefined {
  const json = readJson(text, budget)
  const value = 'problem' in json ? undefined : valueAt(json.value, steps)
  if (value === undefined) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** One step: `.name`, `[0]` or `["any name"]`. */
const STEP = /\.?([^.[\]"\s]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y

/** Parses a path such as `answer.city`, `choices[0].text` or `$["odd name"]`. Returns undefined if it is invalid. */
function parsePath(path: string): string[] | undefined {
  // `$` is the root if a step follows; `$ref` is a name.
  const text = path.replace(/^\$(?:\.|(?=\[)|$)/, '')
  const steps: string[] = []
  STEP.lastIndex = 0
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text)
    if (!step) return undefined
    steps.push(step[1] ?? step[2] ?? (step[3] ?? '').replace(/\\(.)/g, '$1'))
  }
  return steps.length === 0 ? undefined : steps
}

/**
 * Returns the value at the path, or undefined. Only own properties count: nothing inherited, and not the length of an
 * array.
 */
function valueAt(value: unknown, steps: readonly string[]): unknown {
  let current = value
  for (const step of steps) {
    if (!isHolder(current) || !Object.prototype.propertyIsEnumerable.call(current, step)) return undefined
    current = current[step]
  }
  return current
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
