import { defineJudge, inputAnd, instructionsOption, scoredBy, scoredOrPassed, scoringOptions } from './define-judge.ts'
import { messagesOption, needsOf, ownQuestion } from './own-messages.ts'

/** Judges an output by a rubric alone, without the expected value; `comparisonJudge` and `referenceJudge` show it, and own messages may. */
export const llmJudge = defineJudge({
  type: 'llmJudge',
  summary: 'A model judges the output by your instructions: a score on a scale, or passed or not',
  needs: ['output', 'model'],
  options: {
    instructions: instructionsOption('The rubric: what is good and what is not.'),
    messages: messagesOption,
    ...scoringOptions,
  },
  prepare({ instructions, messages, ...options }, key) {
    if (messages !== undefined)
      return {
        ...scoredBy({ options, key }, (field) => ownQuestion({ instructions, messages, field })),
        needs: needsOf(messages),
      }
    return scoredOrPassed({
      options,
      key,
      task: 'Judge the field "output", which an AI component answered to the field "input" (left out if it is not known).',
      instructions,
      fields: (input) => inputAnd(input, { key: 'output', text: input.output ?? '', name: 'output' }),
    })
  },
})
