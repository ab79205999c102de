/**
 * Scores the output and the expected value in separate questions with the same rubric, so that neither is judged by
 * its similarity to the other. The question about the expected value does not contain the output, so its cached answer
 * serves every run.
 */
import { Type } from 'typebox'
import { type Case, ConfigError, type Verdict } from '../evaluator.ts'
import {
  type Answer,
  because,
  defineJudge,
  instructionsOption,
  modelOptions,
  readScale,
  scaleOption,
} from './define-judge.ts'
import { askForScore, type JudgedField, judgeTask, reasonIn, scoreIn } from './judge-question.ts'

export const referenceJudge = defineJudge({
  type: 'referenceJudge',
  summary:
    'A model scores the output and the expected value separately by your instructions; it passes if the output is not worse',
  kind: 'numeric',
  needs: ['output', 'expected', 'model'],
  options: {
    instructions: instructionsOption('The rubric: what is good and what is not.'),
    scale: scaleOption('[1, 5]'),
    tolerance: Type.Optional(
      Type.Number({ minimum: 0, description: 'How much worse than the expected value still passes. Default: 0.' }),
    ),
    showInput: Type.Optional(
      Type.Boolean({
        description:
          'Whether the judge sees the input with each answer. Default: false. If true, runs with different inputs share no cached answers.',
      }),
    ),
    ...modelOptions,
  },
  prepare({ instructions, tolerance = 0, showInput = false, ...options }, key) {
    const scale = readScale(options.scale ?? [1, 5], key)
    if (tolerance > scale[1] - scale[0])
      throw new ConfigError(`${key}.tolerance must not be more than the scale is long`)
    const task = showInput
      ? 'Judge the field "answer", which was given to the field "input" (left out if it is not known).'
      : 'Judge the field "answer".'
    const question = judgeTask({ task, instructions, field: askForScore(scale) })
    const shown = (input: Case): JudgedField[] =>
      showInput && input.input !== null ? [{ key: 'input', text: input.input, name: 'input' }] : []
    return {
      kind: 'numeric',
      scale,
      questions: (input) => [
        question([...shown(input), { key: 'answer', text: input.expected ?? '', name: 'expected value' }]),
        question([...shown(input), { key: 'answer', text: input.output ?? '', name: 'output' }]),
      ],
      verdict: ([expected, output]) => verdict(expected, output, { scale, tolerance }),
    }
  },
})

function verdict(
  expected: Answer | undefined,
  output: Answer | undefined,
  { scale, tolerance }: { scale: readonly [number, number]; tolerance: number },
): Verdict {
  const expectedScore = scoreIn(expected?.value, scale)
  const score = scoreIn(output?.value, scale)
  return {
    state: 'scored',
    score,
    passed: score >= expectedScore - tolerance,
    ...because(output),
    details: { expectedScore, expectedReason: reasonIn(expected?.value, expected?.note) ?? null },
  }
}
