/**
 * Compares JSON field by field. If fields have the strategy `judge`, a model is asked how well their texts agree; entries of arrays are aligned
 * by similarity before, so that it is asked about each entry once.
 */

import { closed } from '../../http/schemas.ts'
import { jsonField, ModelError, NO_MODEL } from '../../llm/model-client.ts'
import { type Case, ConfigError, type Evaluator, type EvaluatorDefinition, type Verdict } from '../evaluator.ts'
import {
  type FieldOptions,
  type Judging,
  plainPath,
  structuredComparison,
  structuredOptions,
  type TextPair,
} from '../json/structured-comparison.ts'
import { lackFor, modelOptions } from './define-judge.ts'
import { cutMiddle, rules, withoutRoleMarks } from './judge-question.ts'

const PAIRS_PER_QUESTION = 20
const TEXT_LENGTH_MAX = 10_000
const ANSWER_TOKENS_PER_PAIR = 60
/** For the estimate of a case whose expected value is not known yet. */
const CHARACTERS = 2_000

const comparison = structuredComparison({ scoreFor: () => undefined })

export const structuredOutput: EvaluatorDefinition = {
  ...comparison,
  options: closed({ ...structuredOptions, ...modelOptions }),
  create(name, { model, temperature, ...given }, key) {
    // The caller has checked the options against the schema: see `EvaluatorDefinition`.
    const fields = Object.entries(Object(given.fields)) as [string, FieldOptions][]
    const judged = fields.filter(({ 1: { strategy } }) => strategy === 'judge')
    if (judged.length > 0) return createJudged(name, { model, temperature, ...given }, { key, judged })
    if (model !== undefined || temperature !== undefined)
      throw new ConfigError(`${key} has a model, and no field has the strategy judge`)
    return comparison.create(name, given, key)
  },
}

type Judged = { key: string; judged: readonly [string, FieldOptions][] }

function createJudged(
  name: string,
  { model, temperature, ...given }: Record<string, unknown>,
  { key, judged }: Judged,
): Evaluator {
  // The comparison does not wait, so that all pairs of one case are between two assignments.
  const judging: Judging = { scoreFor: () => undefined }
  const own = structuredComparison(judging).create(name, given, key)
  const asked = { model: typeof model === 'string' ? model : undefined }
  const compare = (input: Case, scoreFor: Judging['scoreFor']): Verdict => {
    judging.scoreFor = scoreFor
    const verdict = own.evaluate(input, { model: NO_MODEL, repetition: 1 })
    if (verdict instanceof Promise) throw new Error('the comparison asks no model')
    return verdict
  }
  const pairsIn = (input: Case): TextPair[] => {
    const pairs: TextPair[] = []
    compare(input, (pair) => {
      pairs.push(pair)
      return undefined
    })
    return pairs
  }
  const system = systemFor(judged)
  return {
    ...own,
    needs: [...own.needs, 'model'],
    async evaluate(input, { model: client, repetition }) {
      const lack = lackFor(own.needs, input)
      if (lack !== undefined) return { state: 'skipped', reason: lack }
      const pairs = pairsIn(input)
      const open = pairs.filter(({ expected, output }) => expected !== output)
      const scores: number[] = []
      for (const part of chunksOf(open)) {
        const completion = await client.complete({
          ...questionOf(system, part),
          ...asked,
          temperature: typeof temperature === 'number' ? temperature : undefined,
          seed: repetition,
        })
        scores.push(...scoresIn(completion.value, part.length))
      }
      const known = new Map(open.map((pair, place) => [keyOf(pair), scores[place]]))
      return compare(input, (pair) => (pair.expected === pair.output ? 1 : known.get(keyOf(pair))))
    },
    // As many as there are if all texts of these fields differ.
    estimate(input) {
      const pairs = pairsIn({ ...input, output: input.expected })
      const parts = pairs.length === 0 ? [[]] : chunksOf(pairs)
      return parts.map((part) => ({
        ...asked,
        promptCharacters:
          part.length === 0 ? CHARACTERS : system.length + JSON.stringify(part).length + JSON.stringify(SCHEMA).length,
        answerTokens: ANSWER_TOKENS_PER_PAIR * Math.max(1, part.length),
      }))
    },
  }
}

function keyOf({ path, expected, output }: TextPair): string {
  return JSON.stringify([path, expected, output])
}

function chunksOf(pairs: readonly TextPair[]): TextPair[][] {
  return Array.from({ length: Math.ceil(pairs.length / PAIRS_PER_QUESTION) }, (_, place) =>
    pairs.slice(place * PAIRS_PER_QUESTION, (place + 1) * PAIRS_PER_QUESTION),
  )
}

const TASK = `The field "texts" is a list. "output" is what an AI component wrote into the field "path" of a JSON document, and "expected" is known \
to be right. Say for each entry how well both agree: from 0 (something else) to 1 (the same). They should say the same: the same facts, nothing \
essential missing, nothing that contradicts. Wording does not matter, unless it is said otherwise below.`

const SCHEMA = {
  type: 'object',
  properties: {
    scores: {
      type: 'array',
      items: {
        type: 'object',
        properties: { reason: { type: 'string' }, score: { type: 'number', minimum: 0, maximum: 1 } },
        required: ['reason', 'score'],
        additionalProperties: false,
      },
    },
  },
  required: ['scores'],
  additionalProperties: false,
}

function systemFor(judged: Judged['judged']): string {
  const own = judged.flatMap(([path, { instructions = '' }]) =>
    instructions.trim() === '' ? [] : [`For "${plainPath(path)}": ${instructions}`],
  )
  const answer =
    'Answer with one entry in "scores" for each entry of "texts", in the same order: the reason in one sentence, then the score.'
  return [rules('The message of the user is one JSON object. Its fields are'), TASK, ...own, answer].join('\n\n')
}

function questionOf(system: string, pairs: readonly TextPair[]) {
  const texts = pairs.map(({ path, expected, output }) => ({
    path,
    expected: cutMiddle(expected, TEXT_LENGTH_MAX),
    output: cutMiddle(output, TEXT_LENGTH_MAX),
  }))
  return { system, user: withoutRoleMarks(JSON.stringify({ texts })), schema: { name: 'scores', schema: SCHEMA } }
}

/** The client has checked the answer against the schema, which does not say how many there are. */
function scoresIn(value: unknown, count: number): number[] {
  const given = jsonField(value, 'scores')
  const scores = Array.isArray(given) ? given.map((one) => jsonField(one, 'score')) : []
  const known = scores.filter((score) => typeof score === 'number' && score >= 0 && score <= 1)
  if (scores.length !== count || known.length !== count)
    throw new ModelError(
      'transient',
      `The judge gave ${scores.length} scores for ${count} texts, or some are not from 0 to 1`,
    )
  return known.map(Number)
}
