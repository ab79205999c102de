import { binary, defineEvaluator } from '../define-evaluator.ts'
import { foldCase, quoted } from '../text/plain-text.ts'
import { COMPARED, spendOnTexts, type WorkBudget } from '../work-budget.ts'
import { looksLikeJson, readJson } from './json-text.ts'

export const toolSelection = defineEvaluator({
  type: 'toolSelection',
  summary: 'The output calls the tool that is expected, and no other one, or none if none is expected',
  kind: 'binary',
  needs: ['output', 'expected'],
  options: {},
  prepare:
    () =>
    ({ output, expected }, budget) => {
      spendOnTexts(budget, COMPARED, output, expected)
      const wanted = toolIn(expected)
      const called = calledTools(output, budget)
      // A text that is the name of the tool, as programs store it that call no model.
      const got = called ?? (foldCase(output.trim()) === foldCase(wanted) ? [wanted] : [])
      const isRight = isNoTool(wanted)
        ? got.every(isNoTool)
        : got.length > 0 && got.every((name) => foldCase(name) === foldCase(wanted))
      if (isRight) return binary(true, undefined)
      const shown = got.length === 0 ? 'no tool' : [...new Set(got)].map(quoted).join(', ')
      return binary(false, `expected ${isNoTool(wanted) ? 'no tool' : quoted(wanted)}, got ${shown}`)
    },
})

const NO_TOOL = new Set([
  '',
  'none',
  'no tool',
  'no tool call',
  'no tool calls',
  'no tools',
  'n/a',
  'na',
  '-',
  '__no_tool__',
])

/** The ways in which test cases say that no tool should be called. */
export function isNoTool(name: string): boolean {
  const plain = foldCase(name.trim())
  return NO_TOOL.has(plain) || NO_TOOL.has(plain.replace(/[-_]/g, ' '))
}

/** The name as text, or as a JSON string. */
function toolIn(expected: string): string {
  const text = expected.trim()
  return /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text
}

/** A call as outputs show it, one per line: `search({"city":"Paris"})`. */
const CALL = /^([A-Za-z_][A-Za-z0-9_.:-]{0,127})\([^\n]*\)$/

/** The names in a list of calls, as outputs show them or as JSON in the form of any provider; undefined if it is something else. */
export function calledTools(output: string, budget: WorkBudget): string[] | undefined {
  if (!looksLikeJson(output)) return calledInLines(output)
  const read = readJson(output, budget)
  if ('problem' in read) return undefined
  const { tool_calls, toolCalls }: Record<string, unknown> = Object(read.value)
  const calls = [tool_calls ?? toolCalls ?? read.value].flat()
  const names = calls.map((call) => {
    const { name, tool, function: own }: Record<string, unknown> = Object(call)
    return name ?? tool ?? Object(own).name
  })
  return names.every((name) => typeof name === 'string') ? names : undefined
}

function calledInLines(output: string): string[] | undefined {
  const names = output
    .trim()
    .split('\n')
    .map((line) => CALL.exec(line)?.[1])
  return names.every((name) => name !== undefined) ? names : undefined
}
