import { type Static, type TObject, Type } from 'typebox'
import type { Case, CaseTrace, Evaluator, EvaluatorDefinition, Need, Verdict } from './evaluator.ts'
import { pathSelector } from './json/json-path.ts'
import { binary, graded, skipped } from './verdicts.ts'
import { TooMuchWork, type WorkBudget, workBudget } from './work-budget.ts'

/** A case that is known to have what the evaluator needs. */
type Judged<N extends Need> = Omit<Case, 'output' | 'expected' | 'trace'> & {
  output: 'output' extends N ? string : string | null
  expected: 'expected' extends N ? string : string | null
  trace: [Extract<N, 'trace' | 'steps'>] extends [never] ? CaseTrace | null : CaseTrace
}

type Judge<N extends Need> = (input: Judged<N>, budget: WorkBudget) => Verdict

type Absent = { label: string; details: Record<string, unknown> }

type Parts<N extends Need, Options extends TObject> = {
  type: string
  summary: string
  kind: Evaluator['kind']
  needs: readonly N[]
  /** A closed schema. The option `path` has the same meaning for all evaluators: see `pathOption`. */
  options: Options
  /** Whether these options require the item to have an expected value. */
  needsExpected?(options: Static<Options>): boolean
  /** Additional fields of the verdict on an output that has nothing at the path. */
  absent?(expected: string | null, options: Static<Options>): Absent
  /** Whether compiling these options may need more than a few milliseconds. Defaults to never. */
  isSlowToCompile?(options: Static<Options>): boolean
  /** Compiles the options once, at first use. Throws a ConfigError that names the key below `key`. */
  prepare(options: Static<Options>, key: string): Judge<N>
}

/** Declares an evaluator without a model. All of them score from 0 to 1, and higher is better. */
export function defineEvaluator<const N extends Need, Options extends TObject>(
  parts: Parts<N, Options>,
): EvaluatorDefinition {
  const { type, summary, kind, options } = parts
  return {
    type,
    summary,
    kind,
    options,
    needs: parts.needs,
    create(name, given, key) {
      // The caller has checked the options against the schema: see `EvaluatorDefinition`.
      const checked = given as Static<Options>
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

export const ignoreCaseOption = Type.Optional(
  Type.Boolean({ default: false, description: 'Whether upper and lower case are the same. Default: false.' }),
)

/** Returns the reason why a case lacks a need; undefined if it lacks none. */
function lackOf(input: Case, needs: readonly Need[]): string | undefined {
  if ((needs.includes('trace') || needs.includes('steps')) && input.trace === null) return 'the trace has not arrived'
  if (needs.includes('output') && input.output === null) return 'there is no output'
  if (needs.includes('expected') && input.expected === null) return 'the item has no expected value'
  return undefined
}
