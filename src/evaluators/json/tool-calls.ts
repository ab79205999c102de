import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { defineEvaluator, graded, skipped } from '../define-evaluator.ts'
import type { Verdict } from '../evaluator.ts'
import { TooMuchWork, type WorkBudget, workBudget } from '../work-budget.ts'
import { findDifference, isSameJson } from './compare-json.ts'
import {
  type ExpectedCall,
  MATCH_DESCRIPTION,
  MATCH_MODES,
  matchSteps,
  readArguments,
  readExpectedCall,
  readExpectedCalls,
  STEPS_MAX,
  shownSteps,
} from './match-steps.ts'

const Call = closed({
  name: Type.String({ minLength: 1, maxLength: 500, description: 'The name of the tool.' }),
  arguments: Type.Optional(Type.Unknown({ description: 'The expected arguments. Default: any.' })),
})

export const toolCalls = defineEvaluator({
  type: 'toolCalls',
  summary: 'The expected tools were called, in the expected order and with the expected arguments',
  kind: 'numeric',
  needs: ['steps'],
  options: {
    calls: Type.Optional(
      Type.Array(Call, {
        maxItems: STEPS_MAX,
        description: 'The expected calls. Default: the JSON list in the expected value of the item.',
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
  },
  needsExpected: ({ calls }) => calls === undefined,
  prepare({ calls, match = 'ordered', arguments: mode = 'equal' }) {
    const given = calls?.map((call) => readExpectedCall(call, workBudget())).filter((call) => call !== undefined)
    return ({ expected, trace }, budget) => {
      const wanted = given ?? readExpectedCalls(expected ?? '', budget)
      if (!wanted) return skipped('the expected value does not list tool calls')
      const got = trace.steps.filter(({ kind }) => kind === 'tool').map((step) => asCall(step, budget))
      if (Math.max(wanted.length, got.length) > STEPS_MAX) return skipped(`there are more than ${STEPS_MAX} tool calls`)
      return compareCalls(wanted, got, { match, arguments: mode }, budget)
    }
  },
})

type Strictness = { match: (typeof MATCH_MODES)[number]; arguments: 'equal' | 'subset' | 'ignore' }

function asCall(step: { name: string; arguments: unknown }, budget: WorkBudget): ExpectedCall {
  let read: { value: unknown } | undefined
  return {
    name: step.name,
    // Parsed at the first comparison: for most calls, comparing the name is enough.
    get arguments() {
      // A call with no arguments equals a call with an empty object.
      read ??= { value: readArguments(step.arguments, budget) ?? {} }
      return read.value
    },
  }
}

function compareCalls(
  wanted: readonly ExpectedCall[],
  got: readonly ExpectedCall[],
  strictness: Strictness,
  budget: WorkBudget,
): Verdict {
  const isSame = (call: ExpectedCall | undefined, other: ExpectedCall | undefined): boolean => {
    if (call?.name !== other?.name) return false
    if (strictness.arguments === 'ignore' || call?.arguments === undefined) return true
    return isSameJson(call.arguments, other?.arguments, { subset: strictness.arguments === 'subset', budget })
  }
  const argumentsDifference = (call: ExpectedCall, other: ExpectedCall): string | undefined =>
    findDifference(call.arguments, other.arguments, { subset: strictness.arguments === 'subset', budget }, '')
  const fits = (place: number, other: number) => isSame(wanted[place], got[other])
  try {
    const { matched, score } = matchSteps(strictness.match, { expected: wanted.length, got: got.length, fits }, budget)
    const off = wanted.find((call) => !got.some((other) => isSame(call, other)))
    const near = off && got.find(({ name }) => name === off.name)
    const detail = near ? `; arguments of ${near.name}: ${argumentsDifference(off, near)}` : ''
    return graded(score, 1, `expected ${names(wanted)}, got ${names(got)}${detail}`, { matched })
  } catch (error) {
    if (error instanceof TooMuchWork) return skipped('the arguments are too large to be compared')
    throw error
  }
}

function names(calls: readonly ExpectedCall[]): string {
  return shownSteps(calls.map(({ name }) => name))
}
