import { defineJudge, inputAnd, instructionsOption, scoredOrPassed, scoringOptions } from './define-judge.ts'

/** Judges an output by a rubric alone, without the expected value; `comparisonJudge` and `referenceJudge` show it. */
export const llmJudge = defineJudge({
  type: 'llmJudge',
  summary: 'A model judges the output by your instructions: a score on a scale, or passed or not',
  needs: ['output', 'model'],
  options: { instructions: instructionsOption('The rubric: what is good and what is not.'), ...scoringOptions },
  prepare: (options, key) =>
    scoredOrPassed({
      options,
      key,
      task: 'Judge the field "output", which an AI component answered to the field "input" (left out if it is not known).',
      instructions: options.instructions,
      fields: (input) => inputAnd(input, { key: 'output', text: input.output ?? '', name: 'output' }),
    }),
})
