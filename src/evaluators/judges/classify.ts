import { Type } from 'typebox'
import { ConfigError } from '../evaluator.ts'
import { because, defineJudge, inputAnd, instructionsOption, modelOptions } from './define-judge.ts'
import { askForOneOf, choiceIn, judgeTask } from './judge-question.ts'

const Label = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })

/** Assigns an output to one of the given classes. */
export const classify = defineJudge({
  type: 'classify',
  summary: 'A model gives the output one of your labels',
  kind: 'categorical',
  needs: ['output', 'model'],
  options: {
    labels: Type.Array(Label, { minItems: 2, maxItems: 50, uniqueItems: true, description: 'What to choose from.' }),
    passLabels: Type.Optional(
      Type.Array(Label, {
        minItems: 1,
        uniqueItems: true,
        description: 'The labels that pass. Default: none, so that cases neither pass nor fail.',
      }),
    ),
    instructions: Type.Optional(instructionsOption('What the labels mean, and when to give which.')),
    ...modelOptions,
  },
  prepare({ labels, passLabels, instructions = 'Give the label that fits best.' }, key) {
    const stranger = passLabels?.find((label) => !labels.includes(label))
    if (stranger !== undefined)
      throw new ConfigError(`${key}.passLabels has a label that is not among labels: ${stranger}`)
    const question = judgeTask({
      task: 'Give a label to the field "output", which an AI component answered to the field "input" (left out if it is not known).',
      instructions,
      field: askForOneOf(
        'label',
        labels,
        `Then give one of these labels, letter by letter: ${JSON.stringify(labels)}.`,
      ),
    })
    return {
      kind: 'categorical',
      scale: null,
      questions: (input) => [question(inputAnd(input, { key: 'output', text: input.output ?? '', name: 'output' }))],
      verdict: ([answer]) => {
        const label = choiceIn(answer?.value, 'label', labels)
        const passed = passLabels && { passed: passLabels.includes(label) }
        return { state: 'scored', score: null, label, ...passed, ...because(answer) }
      },
    }
  },
})
