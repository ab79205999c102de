import { Type } from 'typebox'
import { defineJudge, inputAnd, instructionsOption, scoredOrPassed, scoringOptions } from './define-judge.ts'

const SAME_MEANING =
  'The output should say the same as the expected answer: the same facts, nothing essential missing, nothing that contradicts it. ' +
  'Wording, order and form do not matter, unless the expected answer shows that they do.'

/** Shows the output and the expected answer to the judge together. */
export const comparisonJudge = defineJudge({
  type: 'comparisonJudge',
  summary: 'A model compares the output with the expected value: a score on a scale, or passed or not',
  needs: ['output', 'expected', 'model'],
  options: {
    instructions: Type.Optional(instructionsOption('The rubric. Default: both must say the same.')),
    ...scoringOptions,
  },
  prepare: (options, key) =>
    scoredOrPassed({
      options,
      key,
      task:
        'Judge the field "output", which an AI component answered to the field "input" (left out if it is not known). ' +
        'The field "expected" is an answer that is known to be right.',
      instructions: options.instructions ?? SAME_MEANING,
      fields: (input) =>
        inputAnd(
          input,
          { key: 'output', text: input.output ?? '', name: 'output' },
          { key: 'expected', text: input.expected ?? '', name: 'expected value' },
        ),
    }),
})
