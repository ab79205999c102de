import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { findDifference } from './comparing/compare-json.ts'
import { type ExpectedCall, readArguments, readExpectedCall, readExpectedCalls } from './comparing/expected-calls.ts'
import { MATCH_DESCRIPTION, MATCH_MODES, matchSteps, STEPS_MAX, shownSteps } from './comparing/match-steps.ts'
import { TooMuchWork, workBudget } from './comparing/work-budget.ts'
import { defineEvaluator } from './define-evaluator.ts'
import type { Verdict } from './evaluator.ts'
import { graded, skipped } from './verdicts.ts'

/** Values in arguments that are compared, of all pairs of calls. */
const VALUES_MAX = 2_000_000

const Call = closed({
  name: Type.String({ minLength: 1, maxLength: 500, description: 'The name of the tool.' }),
  arguments: Type.Optional(Type.Unknown({ description: 'What it must be called with. Left out: anything.' })),
})

export const toolCalls = defineEvaluator({
  type: 'toolCalls',
  summary: 'The expected tools were called, in the expected order and with the expected arguments',
  kind: 'numeric',
  needs: ['steps'],
  options: closed({
    calls: Type.Optional(
      Type.Array(Call, {
        maxItems: STEPS_MAX,
        description: 'The expected calls. Left out: those that the expected value of the item lists, as JSON.',
      }),
    ),
    match: Type.Optional(Type.Enum([...MATCH_MODES], { default: 'ordered', description: MATCH_DESCRIPTION })),
    arguments: Type.Optional(
      Type.Enum(['equal', 'subset', 'ignore'], {
        default: 'equal',
        description:
          'Whether arguments must be equal, may be more than those expected, or do not matter. Default: equal.',
      }),
    ),
  }),
  needsExpected: ({ calls }) => calls === undefined,
  prepare({ calls, match = 'ordered', arguments: mode = 'equal' }) {
    const given = calls?.map(readExpectedCall).filter((call) => call !== undefined)
    return ({ expected, trace }) => {
      const wanted = given ?? readExpectedCalls(expected ?? '')
      if (!wanted) return skipped('the expected value does not list tool calls')
      const got = trace.steps.filter(({ kind }) => kind === 'tool').map(asCall)
      if (Math.max(wanted.length, got.length) > STEPS_MAX) return skipped(`there are more than ${STEPS_MAX} tool calls`)
      return compareCalls(wanted, got, { match, arguments: mode })
    }
  },
})

type Strictness = { match: (typeof MATCH_MODES)[number]; arguments: 'equal' | 'subset' | 'ignore' }

function asCall(step: { name: string; arguments: unknown }): ExpectedCall {
  // A call without arguments and a call with none are the same.
  return { name: step.name, arguments: readArguments(step.arguments) ?? {} }
}

function compareCalls(wanted: readonly ExpectedCall[], got: readonly ExpectedCall[], strictness: Strictness): Verdict {
  const budget = workBudget(VALUES_MAX)
  const difference = (call: ExpectedCall | undefined, other: ExpectedCall | undefined): string | undefined => {
    if (call?.name !== other?.name) return 'another tool'
    if (strictness.arguments === 'ignore' || call?.arguments === undefined) return undefined
    const subset = strictness.arguments === 'subset'
    return findDifference(call.arguments, other?.arguments, { subset, budget }, '')
  }
  const fits = (place: number, other: number) => difference(wanted[place], got[other]) === undefined
  try {
    const { matched, score } = matchSteps(strictness.match, { expected: wanted.length, got: got.length, fits })
    const off = wanted.find((call) => !got.some((other) => difference(call, other) === undefined))
    const near = off && got.find(({ name }) => name === off.name)
    const detail = near ? `; arguments of ${near.name}: ${difference(off, near)}` : ''
    return graded(score, 1, `expected ${names(wanted)}, got ${names(got)}${detail}`, { matched })
  } catch (error) {
    if (error instanceof TooMuchWork) return skipped('the arguments are too large to be compared')
    throw error
  }
}

function names(calls: readonly ExpectedCall[]): string {
  return shownSteps(calls.map(({ name }) => name))
}
