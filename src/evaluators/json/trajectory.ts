import { Type } from 'typebox'
import { defineEvaluator, graded, skipped } from '../define-evaluator.ts'
import { internTexts } from '../match-lists.ts'
import { MATCH_DESCRIPTION, MATCH_MODES, matchSteps, readExpectedCalls, STEPS_MAX, shownSteps } from './match-steps.ts'

export const trajectory = defineEvaluator({
  type: 'trajectory',
  summary: 'The trace took the expected steps, by their names',
  kind: 'numeric',
  needs: ['steps'],
  options: {
    steps: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        maxItems: STEPS_MAX,
        description: 'The names of the expected steps. Default: the JSON list in the expected value.',
      }),
    ),
    match: Type.Optional(Type.Enum([...MATCH_MODES], { default: 'ordered', description: MATCH_DESCRIPTION })),
    kinds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 20,
        description: 'The kinds of steps that count, such as tool, agent, llm and retriever. Default: all.',
      }),
    ),
  },
  needsExpected: ({ steps }) => steps === undefined,
  prepare:
    ({ steps, match = 'ordered', kinds }) =>
    ({ expected, trace }, budget) => {
      const wanted = steps ?? readExpectedCalls(expected ?? '', budget)?.map(({ name }) => name)
      if (!wanted) return skipped('the expected value does not list steps')
      const got = trace.steps.filter(({ kind }) => kinds?.includes(kind) ?? true).map(({ name }) => name)
      if (Math.max(wanted.length, got.length) > STEPS_MAX) return skipped(`there are more than ${STEPS_MAX} steps`)
      // Compared by number: names that differ only in their last character would cost their whole length for every
      // pair.
      const [wantedIds = [], gotIds = []] = internTexts(wanted, got)
      const fits = (place: number, other: number) => wantedIds[place] === gotIds[other]
      const { matched, score } = matchSteps(match, { expected: wanted.length, got: got.length, fits }, budget)
      return graded(score, 1, `expected ${shownSteps(wanted)}, got ${shownSteps(got)}`, { matched })
    },
})
