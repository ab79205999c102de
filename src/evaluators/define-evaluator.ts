import { type Static, type TObject, Type } from 'typebox'
import type { Case, CaseTrace, Evaluator, EvaluatorDefinition, Need, Verdict } from './evaluator.ts'
import { pathSelector } from './json/json-path.ts'
import { binary, graded, skipped } from './verdicts.ts'
import { TooMuchWork, type WorkBudget, workBudget } from './work-budget.ts'

/** A case in which what the evaluator needs is certainly there. */
type Judged<N extends Need> = Omit<Case, 'output' | 'expected' | 'trace'> & {
  output: 'output' extends N ? string : string | null
  expected: 'expected' extends N ? string : string | null
  trace: [Extract<N, 'trace' | 'steps'>] extends [never] ? CaseTrace | null : CaseTrace
}

/** Written as a method, which may ask for more than every case has: what is needed has been checked by then. */
type Judge<Input> = { judge(input: Input, budget: WorkBudget): Verdict }['judge']

type Absent = { label: string; details: Record<string, unknown> }

type Parts<N extends Need, Options extends TObject> = {
  type: string
  summary: string
  kind: Evaluator['kind']
  needs: readonly N[]
  /** Closed. One named `path` is understood for all: see `pathOption`. */
  options: Options
  /** Whether these options leave it to the item to say what is expected. */
  needsExpected?(options: Static<Options>): boolean
  /** What else to say of an output that has nothing at the path. */
  absent?(expected: string | null, options: Static<Options>): Absent
  /** Whether to compile these options may need more than some milliseconds. Left out: never. */
  isSlowToCompile?(options: Static<Options>): boolean
  /** Compiles the options, once and when they are first needed; throws a ConfigError that names the key below `key`. */
  prepare(options: Static<Options>, key: string): Judge<Judged<N>>
}

/** The same with the exact types forgotten: options have been checked against their schema, cases by their needs. */
type PlainParts = Omit<Parts<Need, TObject>, 'needsExpected' | 'absent' | 'isSlowToCompile' | 'prepare'> & {
  isSlowToCompile?(options: Record<string, unknown>): boolean
  needsExpected?(options: Record<string, unknown>): boolean
  absent?(expected: string | null, options: Record<string, unknown>): Absent
  prepare(options: Record<string, unknown>, key: string): Judge<Case>
}

/** Declares an evaluator without a model. All of them score from 0 to 1, and more is better. */
export function defineEvaluator<const N extends Need, Options extends TObject>(
  parts: Parts<N, Options>,
): EvaluatorDefinition
export function defineEvaluator(parts: PlainParts): EvaluatorDefinition {
  const { type, summary, kind, options } = parts
  return {
    type,
    summary,
    kind,
    options,
    needs: parts.needs,
    create(name, given, key) {
      let compiled: Judge<Case> | undefined
      const judge = () => {
        compiled ??= parts.prepare(given, key)
        return compiled
      }
      const select = pathSelector(given.path, `${key}.path`)
      const needs: readonly Need[] = parts.needsExpected?.(given) ? [...parts.needs, 'expected'] : parts.needs
      const judgeCase = (input: Case, budget: WorkBudget): Verdict => {
        const lack = lackOf(input, needs)
        if (lack !== undefined) return skipped(lack)
        const selected = select(input, budget)
        if (selected.output !== null || !needs.includes('output')) return judge()(selected, budget)
        // Wrong and not skipped: the output lacks what was asked for.
        return {
          ...nothing(kind, given),
          ...parts.absent?.(selected.expected, given),
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
        isSlowToCompile: parts.isSlowToCompile?.(given) ?? false,
        compile: judge,
        evaluate,
      }
    },
  }
}

/** Where somebody may draw a line it is drawn only if somebody has. */
function nothing(kind: Evaluator['kind'], { path, passAt }: Record<string, unknown>): Verdict {
  const reason = `the output has nothing at ${path}`
  return kind === 'numeric' ? graded(0, typeof passAt === 'number' ? passAt : undefined, reason) : binary(false, reason)
}

export const pathOption = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description:
      'Where in a JSON output to look, such as answer.city or choices[0].text; in the expected value as well, if it has something there. Left out: the whole output.',
  }),
)

export const ignoreCaseOption = Type.Optional(
  Type.Boolean({ default: false, description: 'Whether upper and lower case are the same. Default: false.' }),
)

/** What a case lacks of what is needed, as a message. */
function lackOf(input: Case, needs: readonly Need[]): string | undefined {
  if ((needs.includes('trace') || needs.includes('steps')) && input.trace === null) return 'the trace has not arrived'
  if (needs.includes('output') && input.output === null) return 'there is no output'
  if (needs.includes('expected') && input.expected === null) return 'the item has no expected value'
  return undefined
}
