import { Type } from 'typebox'
import { scoredOrPassed, scoringOptions } from '../scored-or-passed.ts'
import { defineJudge, instructionsOption } from './define-judge.ts'
import { inputAnd } from './judged-fields.ts'

/** Judges an output by a rubric alone, without the expected value; `comparisonJudge` and `referenceJudge` show it. */
export const llmJudge = defineJudge({
  type: 'llmJudge',
  summary: 'A model judges the output by your instructions: a score on a scale, or passed or not',
  needs: ['output', 'model'],
  options: Type.Object(
    { instructions: instructionsOption('The rubric: what is good and what is not.'), ...scoringOptions },
    { additionalProperties: false },
  ),
  prepare: (options, key) =>
    scoredOrPassed({
      options,
      key,
      task: 'Judge the field "output", which an AI component answered to the field "input" (left out if it is not known).',
      instructions: options.instructions,
      fields: (input) => inputAnd(input, { key: 'output', text: input.output ?? '', name: 'output' }),
    }),
})
