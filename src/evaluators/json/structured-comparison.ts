import { distance } from 'fastest-levenshtein'
import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { defineEvaluator, graded, passAtOption, pathOption, skipped } from '../define-evaluator.ts'
import type { EvaluatorDefinition } from '../evaluator.ts'
import { countOf, overlap } from '../match-lists.ts'
import { fMeasure, squadWords } from '../text/words.ts'
import { COMPARED, IN_WORDS, spendOnTexts, type WorkBudget } from '../work-budget.ts'
import { bestPairs } from './best-assignment.ts'
import { keyStep } from './compare-json.ts'
import { readJson } from './json-text.ts'

const STRATEGIES = ['exact', 'similarity', 'number', 'judge'] as const
const ARRAYS = ['aligned', 'ordered'] as const
const UNITS_PER_VALUE = 40
/** Longer texts are compared by their words: an edit distance needs time proportional to the product of both lengths. */
const LENGTH_MAX = 1_000
const TOLERANCE_DEFAULT = 0.01

const Field = closed(
  {
    include: Type.Optional(Type.Boolean({ description: 'Default: true.' })),
    weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000, description: 'Default: 1.' })),
    strategy: Type.Optional(
      Type.Enum(STRATEGIES, {
        type: 'string',
        description: 'Default: by the type of the expected value. `judge` asks a model about texts that differ.',
      }),
    ),
    arrays: Type.Optional(
      Type.Enum(ARRAYS, {
        type: 'string',
        description: 'Whether entries are aligned so that they agree most (default), or compared by their position.',
      }),
    ),
    instructions: Type.Optional(
      Type.String({ maxLength: 5_000, description: 'Of `judge`: what makes both texts the same.' }),
    ),
  },
  { title: 'StructuredOutputField' },
)

export type FieldOptions = {
  include?: boolean
  weight?: number
  strategy?: (typeof STRATEGIES)[number]
  arrays?: (typeof ARRAYS)[number]
  instructions?: string
}

/** Two texts of a field with the strategy `judge`. */
export type TextPair = { path: string; expected: string; output: string }

/** What a judge says about two texts; undefined to compare them by their similarity. */
export type Judging = { scoreFor(pair: TextPair): number | undefined }

export const structuredOptions = {
  fields: Type.Optional(
    Type.Unsafe<Record<string, FieldOptions>>({
      type: 'object',
      additionalProperties: Field,
      description: 'Options by path, such as customer.name or items.price, where entries of arrays have no step.',
    }),
  ),
  tolerance: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'For numbers that are not whole, as a share. Default: 0.01.',
    }),
  ),
  passAt: passAtOption,
  path: pathOption,
}

/** Without a model: texts that a judge is to compare get their scores from `judging`. */
export function structuredComparison(judging: Judging): EvaluatorDefinition {
  return defineEvaluator({
    type: 'structuredOutput',
    summary:
      'How much of the expected JSON the output has, field by field: similar texts and lists in another order count in part',
    kind: 'numeric',
    needs: ['output', 'expected'],
    options: structuredOptions,
    prepare({ fields = {}, tolerance = TOLERANCE_DEFAULT, passAt }) {
      const options = new Map(Object.entries(fields).map(([path, field]) => [plainPath(path), field]))
      return ({ output, expected }, budget) => {
        const wanted = readJson(expected, budget)
        if ('problem' in wanted) return skipped(`the expected value ${wanted.problem}`)
        const got = readJson(output, budget)
        if ('problem' in got) return graded(0, passAt, `the output ${got.problem}`)
        const worst = { path: '', score: 1 }
        const score = compare(wanted.value, got.value, '', { options, tolerance, budget, worst, judging })
        const at = worst.path === '' ? 'the output' : worst.path
        return graded(score, passAt, `${at} has the lowest score, ${Number(worst.score.toFixed(2))}`)
      }
    },
  })
}

/** `items[].price`, `items[0].price` and `$.items.price` are `items.price`. */
export function plainPath(path: string): string {
  return path.replace(/^\$\.?/, '').replaceAll(/\[(\*|\d+)?\]/g, '')
}

type Comparing = {
  options: ReadonlyMap<string, FieldOptions>
  tolerance: number
  budget: WorkBudget
  /** The value with the lowest score, for the reason. */
  worst: { path: string; score: number }
  judging: Judging
}

function compare(expected: unknown, got: unknown, path: string, comparing: Comparing): number {
  comparing.budget.spend(UNITS_PER_VALUE)
  if (Array.isArray(expected) && Array.isArray(got)) return compareArrays(expected, got, path, comparing)
  if (isObject(expected) && isObject(got)) return compareObjects(expected, got, path, comparing)
  const score = compareValues(expected, got, path, comparing)
  if (score < comparing.worst.score) Object.assign(comparing.worst, { path, score })
  return score
}

const NO_JUDGE: Judging = { scoreFor: () => undefined }

/** The mean of the fields of both, by weight: a field that only one of them has is wrong. */
function compareObjects(
  expected: Record<string, unknown>,
  got: Record<string, unknown>,
  path: string,
  comparing: Comparing,
): number {
  let [sum, weights] = [0, 0]
  for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
    const below = path === '' ? key : `${path}${keyStep(key)}`
    const { include = true, weight = 1 } = comparing.options.get(below) ?? {}
    if (!include || weight === 0) continue
    const inBoth = Object.hasOwn(expected, key) && Object.hasOwn(got, key)
    const score = inBoth ? compare(expected[key], got[key], below, comparing) : 0
    if (!inBoth) Object.assign(comparing.worst, { path: below, score: 0 })
    sum += weight * score
    weights += weight
  }
  return weights === 0 ? 1 : sum / weights
}

/** Entries are aligned so that they agree most, or by position; then F1, where a pair counts as much as it agrees. */
function compareArrays(
  expected: readonly unknown[],
  got: readonly unknown[],
  path: string,
  comparing: Comparing,
): number {
  if (expected.length === 0 && got.length === 0) return 1
  // Most pairs are not aligned, so that their scores are no reason, and no judge is asked about them.
  const inside = { ...comparing, worst: { path, score: 1 }, judging: NO_JUDGE }
  const alignment = (): [number, number][] => {
    if (comparing.options.get(path)?.arrays === 'ordered')
      return expected.slice(0, got.length).map((_, place) => [place, place])
    const gains = expected.map((one) => got.map((other) => compare(one, other, path, inside)))
    return bestPairs(gains, comparing.budget)
  }
  const aligned = { ...comparing, worst: { path, score: 1 } }
  const sum = alignment().reduce((all, [one, other]) => all + compare(expected[one], got[other], path, aligned), 0)
  const score = (2 * sum) / (expected.length + got.length)
  if (score < comparing.worst.score) Object.assign(comparing.worst, { path, score })
  return score
}

function compareValues(expected: unknown, got: unknown, path: string, comparing: Comparing): number {
  const { options, tolerance, budget, judging } = comparing
  const strategy = options.get(path)?.strategy
  if (typeof expected === 'string' && typeof got === 'string') {
    if (strategy === 'exact' || strategy === 'number') return Number(expected === got)
    const judged = strategy === 'judge' ? judging.scoreFor({ path, expected, output: got }) : undefined
    return judged ?? similarity(expected, got, budget)
  }
  if (typeof expected !== 'number' || typeof got !== 'number') return Number(expected === got)
  if (strategy === 'exact' || (strategy === undefined && Number.isInteger(expected))) return Number(expected === got)
  return Number(Math.abs(expected - got) <= tolerance * Math.abs(expected))
}

/** 1 − edit distance ÷ length of the longer text; of long texts, the words that they have in common. */
function similarity(expected: string, got: string, budget: WorkBudget): number {
  spendOnTexts(budget, COMPARED, expected, got)
  const [a, b] = [expected.normalize('NFC'), got.normalize('NFC')]
  const longest = Math.max(a.length, b.length)
  if (a === b) return 1
  if (longest <= LENGTH_MAX) {
    budget.spend((a.length * b.length) / 8)
    return 1 - distance(a, b) / longest
  }
  spendOnTexts(budget, IN_WORDS, a, b)
  const [wanted, words] = [squadWords(a), squadWords(b)]
  if (wanted.length === 0 || words.length === 0) return 0
  return fMeasure(overlap(countOf(words), countOf(wanted)), words.length, wanted.length)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
