import { type Static, type TObject, Type } from 'typebox'
import {
  type Case,
  ConfigError,
  type Evaluator,
  type EvaluatorDefinition,
  type Need,
  type Verdict,
} from '../evaluator.ts'
import type { JudgeQuestion } from './judge-question.ts'
import { lackFor } from './judged-fields.ts'

/** An evaluator that calls a model, with its options read. */
export type Judge = {
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

type Parts<Options extends TObject> = {
  type: string
  summary: string
  /** Undefined if it depends on the options. */
  kind?: Evaluator['kind']
  needs: readonly Need[]
  /** A closed schema: `modelOptions` and further options. */
  options: Options
  /** Reads the options once. Throws a ConfigError that names the key below `key`. */
  prepare(options: Static<Options>, key: string): Judge
}

/** The length of a reason of a few sentences, for the estimate of costs. */
const ANSWER_TOKENS = 150

/**
 * Declares an evaluator that asks a model for verdicts. Errors of the model client pass through: the caller retries.
 */
export function defineJudge<Options extends TObject>(parts: Parts<Options>): EvaluatorDefinition {
  const { type, summary, kind, options } = parts
  return {
    type,
    summary,
    ...(kind && { kind }),
    options,
    needs: parts.needs,
    create(name, given, key) {
      // The caller has checked the options against the schema: see `EvaluatorDefinition`.
      const judge = parts.prepare(given as Static<Options>, key)
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
