import { type Case, ConfigError } from '../evaluator.ts'
import type { WorkBudget } from '../work-budget.ts'
import { readJson } from './json-text.ts'

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

/**
 * Narrows a case to a part of its output, which is null if there is none. The expected value is narrowed only if it
 * has something at the path; else it is that part already.
 */
export function pathSelector(path: unknown, key: string): (input: Case, budget: WorkBudget) => Case {
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
