/** The semantic similarity of the output and the expected value: the cosine of the angle between their embeddings. */
import { type Static, Type } from 'typebox'
import type { Case, Evaluator, EvaluatorDefinition, Need, Verdict } from '../evaluator.ts'
import { lackFor, modelOption } from './define-judge.ts'
import { cutMiddle } from './judge-question.ts'

/** Embedding models have smaller context windows than others: typically about 8,000 tokens. */
const TEXT_LENGTH_MAX = 24_000
const NEEDS: readonly Need[] = ['output', 'expected', 'model']

const Options = Type.Object(
  {
    threshold: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 1,
        description: 'The minimum similarity to pass. Default: none, so that cases neither pass nor fail.',
      }),
    ),
    model: modelOption('its first with "embed" in its name, else its first'),
  },
  { additionalProperties: false },
)

export const embeddingSimilarity: EvaluatorDefinition = {
  type: 'embeddingSimilarity',
  summary: 'Similarity in meaning of the output and the expected value, by an embedding model',
  kind: 'numeric',
  options: Options,
  needs: NEEDS,
  create: (name, { threshold, model }) =>
    similarityBy(name, {
      ...(typeof threshold === 'number' && { threshold }),
      ...(typeof model === 'string' && { model }),
    }),
}

function similarityBy(name: string, { threshold, model }: Static<typeof Options>): Evaluator {
  const scored = (score: number, reason: string): Verdict => ({
    state: 'scored',
    score,
    ...(threshold !== undefined && { passed: score >= threshold }),
    reason,
  })
  /** Providers reject empty texts. An empty output is a wrong answer and gets a score instead of being skipped. */
  const settle = (input: Case): Verdict | undefined => {
    const lack = lackFor(NEEDS, input)
    if (lack !== undefined) return { state: 'skipped', reason: lack }
    if (textsOf(input).every((text) => text.trim() !== '')) return undefined
    const [output, expected] = textsOf(input)
    const isEqual = output.trim() === expected.trim()
    return scored(
      isEqual ? 1 : 0,
      isEqual ? 'Both texts are empty.' : `The ${output.trim() ? 'expected value' : 'output'} is empty.`,
    )
  }
  return {
    type: 'embeddingSimilarity',
    name,
    kind: 'numeric',
    scale: [-1, 1],
    higherIsBetter: true,
    needs: NEEDS,
    async evaluate(input, { model: client }) {
      const known = settle(input)
      if (known) return known
      const texts = textsOf(input)
      const { vectors } = await client.embed({
        model,
        texts: texts.map((text) => cutMiddle(text, TEXT_LENGTH_MAX)),
      })
      const score = cosine(vectors[0] ?? [], vectors[1] ?? [])
      if (score === undefined) return { state: 'failed', reason: 'The model gave a vector without a direction.' }
      return scored(score, `The cosine similarity is ${score.toFixed(3)}.${cutNote(texts)}`)
    },
    estimate: (input) =>
      settle(input)
        ? []
        : [
            {
              model,
              purpose: 'embedding',
              promptCharacters: textsOf(input).reduce((sum, text) => sum + Math.min(text.length, TEXT_LENGTH_MAX), 0),
              answerTokens: 0,
            },
          ],
  }
}

function textsOf({ output, expected }: Case): [string, string] {
  return [output ?? '', expected ?? '']
}

function cutNote(texts: readonly string[]): string {
  const isCut = texts.some((text) => text.length > TEXT_LENGTH_MAX)
  return isCut ? ` Long texts were cut in the middle: the model saw ${TEXT_LENGTH_MAX} characters of each.` : ''
}

/**
 * Returns undefined if one of them is a zero vector. Both are normalized first, because sums of squares of large
 * numbers would overflow.
 */
function cosine(a: readonly number[], b: readonly number[]): number | undefined {
  const lengths = [lengthOf(a), lengthOf(b)] as const
  if (!lengths.every((length) => length > 0 && Number.isFinite(length))) return undefined
  const sum = a.reduce((total, value, index) => total + (value / lengths[0]) * ((b[index] ?? 0) / lengths[1]), 0)
  // Rounding can result in slightly more than 1.
  return Math.max(-1, Math.min(1, sum))
}

/** Not `Math.hypot`: a vector of a hundred thousand numbers exceeds the maximum number of arguments. */
function lengthOf(vector: readonly number[]): number {
  const greatest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  if (greatest === 0) return 0
  return greatest * Math.sqrt(vector.reduce((sum, value) => sum + (value / greatest) ** 2, 0))
}
