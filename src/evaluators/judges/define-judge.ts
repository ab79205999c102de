import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import {
  type Case,
  ConfigError,
  type Evaluator,
  type EvaluatorDefinition,
  type Need,
  type Verdict,
} from '../evaluator.ts'
import {
  type AnswerField,
  ASK_WHETHER_PASSED,
  askForScore,
  isPassedIn,
  type JudgedField,
  type JudgeQuestion,
  judgeTask,
  reasonIn,
  scoreIn,
} from './judge-question.ts'

/** An evaluator that calls a model, with its options read. */
type Judge = {
  /** Defaults to the needs of the definition. */
  needs?: readonly Need[]
  scale: Evaluator['scale']
  kind: Evaluator['kind']
  /** Returns a verdict that needs no model; undefined if a call is necessary. */
  settle?(input: Case): Verdict | undefined
  /** The questions, sent one after the other. */
  questions(input: Case): JudgeQuestion[]
  /** `answers` conform to the schemas of the questions and have the same order. */
  verdict(answers: readonly Answer[]): Verdict
}

export type Answer = { value: unknown; note: string | undefined }

type Parts<Options extends TProperties> = {
  type: string
  summary: string
  /** Undefined if it depends on the options. */
  kind?: Evaluator['kind']
  needs: readonly Need[]
  /** `modelOptions` and further options. */
  options: Options
  /** Reads the options once. Throws a ConfigError that names the key below `key`. */
  prepare(options: Static<TObject<Options>>, key: string): Judge
}

/** The length of a reason of a few sentences, for the estimate of costs. */
const ANSWER_TOKENS = 150

/**
 * Declares an evaluator that asks a model for verdicts. Errors of the model client pass through: the caller retries.
 */
export function defineJudge<Options extends TProperties>(parts: Parts<Options>): EvaluatorDefinition {
  const { type, summary, kind } = parts
  return {
    type,
    summary,
    ...(kind && { kind }),
    options: closed(parts.options),
    needs: parts.needs,
    create(name, given, key) {
      // The caller has checked the options against the schema: see `EvaluatorDefinition`.
      const judge = parts.prepare(given as Static<TObject<Options>>, key)
      const model = typeof given.model === 'string' ? given.model : undefined
      const temperature = typeof given.temperature === 'number' ? given.temperature : undefined
      const needs = judge.needs ?? parts.needs
      const settle = (input: Case) => settled(judge, needs, input)
      return {
        type,
        name,
        kind: judge.kind,
        scale: judge.scale,
        higherIsBetter: true,
        needs,
        async evaluate(input, { model: client, repetition }) {
          const known = settle(input)
          if (known) return known
          const answers: Answer[] = []
          for (const { note, ...question } of judge.questions(input)) {
            // Each repetition has its own seed: with one seed for all, many providers would return the same answer.
            const completion = await client.complete({ ...question, model, temperature, seed: repetition })
            answers.push({ value: completion.value, note })
          }
          return judge.verdict(answers)
        },
        estimate: (input) =>
          settle(input)
            ? []
            : judge.questions(input).map(({ system, user, schema }) => ({
                model,
                promptCharacters: system.length + user.length + JSON.stringify(schema.schema).length,
                answerTokens: ANSWER_TOKENS,
              })),
      }
    },
  }
}

function settled(judge: Judge, needs: readonly Need[], input: Case): Verdict | undefined {
  const lack = lackFor(needs, input)
  return lack === undefined ? judge.settle?.(input) : { state: 'skipped', reason: lack }
}

/** `otherwise` describes the model that is used when none is named. */
export function modelOption(otherwise: string) {
  return Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: `A model of the connection. Default: ${otherwise}.` }),
  )
}

export const modelOptions = {
  model: modelOption('its first'),
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: 2, description: 'Default: 0, so that verdicts vary as little as they can.' }),
  ),
}

/** `description` describes the purpose of the rubric. */
export function instructionsOption(description: string) {
  return Type.String({ minLength: 1, maxLength: 20_000, pattern: '\\S', description })
}

/** `otherwise` describes the default. */
export function scaleOption(otherwise: string) {
  const description = `The worst and the best score, such as [1, 5]. Default: ${otherwise}.`
  return Type.Optional(Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description }))
}

/** Beyond these bounds, sums and squares of scores lose precision and finally overflow. */
const SCALE_END_MAX = 1_000_000
const SCALE_WIDTH_MIN = 0.000001
/** Tolerates rounding: 1.000001 − 1 is slightly less than 0.000001. */
const ROUNDING = 1e-9

export function readScale(scale: readonly number[], key: string): readonly [number, number] {
  const [least = 0, most = 0] = scale
  if (least >= most) throw new ConfigError(`${key}.scale must go from a smaller number to a greater one`)
  if (least < -SCALE_END_MAX || most > SCALE_END_MAX)
    throw new ConfigError(`${key}.scale must be within -1,000,000 to 1,000,000`)
  if (most - least < SCALE_WIDTH_MIN - ROUNDING) throw new ConfigError(`${key}.scale must be at least 0.000001 wide`)
  return [least, most]
}

/** The earlier turns and the input, if known, followed by the fields to judge. */
export function inputAnd({ input, conversation }: Case, ...fields: JudgedField[]): JudgedField[] {
  const before = conversation ? [{ key: 'conversation', text: conversation, name: 'conversation' }] : []
  const asked = input === null ? [] : [{ key: 'input', text: input, name: 'input' }]
  return [...before, ...asked, ...fields]
}

/** Returns the reason why a case lacks a need of a judge; the model is then not called. */
export function lackFor(needs: readonly Need[], { output, expected, baseline }: Case): string | undefined {
  if (needs.includes('output') && output === null) return 'there is no output'
  if (needs.includes('expected') && expected === null) return 'the item has no expected value'
  if (needs.includes('baseline') && baseline === null) return 'the run to compare with has no output for this item'
  return undefined
}

/** The options of judges that give a score on a scale or, without a scale, a pass verdict. */
export const scoringOptions = {
  ...modelOptions,
  scale: scaleOption('the judge says passed or not'),
  passAt: Type.Optional(
    Type.Number({ description: 'The minimum score to pass. Default: none, so that cases neither pass nor fail.' }),
  ),
}

const ScoringOptions = Type.Object({ ...scoringOptions, instructions: Type.Optional(Type.String()) })

type Scoring = { options: Static<typeof ScoringOptions>; key: string }

type Task = Scoring & { task: string; instructions: string; fields(input: Case): JudgedField[] }

export function scoredOrPassed({ task, instructions, fields, ...scoring }: Task): Judge {
  return scoredBy(scoring, (field) => {
    const question = judgeTask({ task, instructions, field })
    return (input) => question(fields(input))
  })
}

/** `ask` builds the question for an answer with this field. */
export function scoredBy(
  { options, key }: Scoring,
  ask: (field: AnswerField) => (input: Case) => JudgeQuestion,
): Judge {
  const { passAt } = options
  const scale = options.scale && readScale(options.scale, key)
  if (passAt !== undefined && scale === undefined) throw new ConfigError(`${key}.passAt needs a scale`)
  if (passAt !== undefined && scale && (passAt < scale[0] || passAt > scale[1])) {
    throw new ConfigError(`${key}.passAt must be on the scale`)
  }
  const question = ask(scale ? askForScore(scale) : ASK_WHETHER_PASSED)
  return {
    kind: scale ? 'numeric' : 'binary',
    scale: scale ?? [0, 1],
    questions: (input) => [question(input)],
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
