import { type Static, Type } from 'typebox'
import { type Case, ConfigError, type Verdict } from './evaluator.ts'
import { type Answer, type Judge, modelOptions, readScale, scaleOption } from './judges/define-judge.ts'
import { ASK_WHETHER_PASSED, askForScore, isPassedIn, judgeTask, reasonIn, scoreIn } from './judges/judge-question.ts'
import type { JudgedField } from './judges/judged-text.ts'

/** The options of judges that give a score on a scale or, without a scale, a pass verdict. */
export const scoringOptions = {
  ...modelOptions,
  scale: scaleOption('the judge says passed or not'),
  passAt: Type.Optional(
    Type.Number({ description: 'The minimum score to pass. Default: none, so that cases neither pass nor fail.' }),
  ),
}

const ScoringOptions = Type.Object({ ...scoringOptions, instructions: Type.Optional(Type.String()) })

type Scoring = {
  options: Static<typeof ScoringOptions>
  key: string
  task: string
  instructions: string
  fields(input: Case): JudgedField[]
}

export function scoredOrPassed({ options, key, task, instructions, fields }: Scoring): Judge {
  const { passAt } = options
  const scale = options.scale && readScale(options.scale, key)
  if (passAt !== undefined && scale === undefined) throw new ConfigError(`${key}.passAt needs a scale`)
  if (passAt !== undefined && scale && (passAt < scale[0] || passAt > scale[1])) {
    throw new ConfigError(`${key}.passAt must be on the scale`)
  }
  const question = judgeTask({ task, instructions, field: scale ? askForScore(scale) : ASK_WHETHER_PASSED })
  return {
    kind: scale ? 'numeric' : 'binary',
    scale: scale ?? [0, 1],
    questions: (input) => [question(fields(input))],
    verdict: ([answer]) => (scale ? scored(answer, scale, passAt) : passedOrNot(answer)),
  }
}

function scored(answer: Answer | undefined, scale: readonly [number, number], passAt: number | undefined): Verdict {
  const score = scoreIn(answer?.value, scale)
  return { state: 'scored', score, ...(passAt !== undefined && { passed: score >= passAt }), ...because(answer) }
}

function passedOrNot(answer: Answer | undefined): Verdict {
  const passed = isPassedIn(answer?.value)
  return { state: 'scored', score: passed ? 1 : 0, passed, ...because(answer) }
}

/** The reason of an answer as part of a verdict; empty if the judge gave none. */
export function because(answer: Answer | undefined): { reason?: string } {
  const reason = reasonIn(answer?.value, answer?.note)
  return reason === undefined ? {} : { reason }
}
