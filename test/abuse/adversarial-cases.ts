/** Values that are as bad as they can be for an evaluator, up to the sizes that traces, items and configs may have. */
import type { Case } from '../../src/evaluators/evaluator.ts'
import { type ModelClient, UNKNOWN_USAGE } from '../../src/llm/model-client.ts'
import { traceWith } from '../evaluations/verdict-of.ts'

/** As long as the texts of a span may be. */
export const TEXT_MAX = 1 << 20
const STEPS = 500

/** Every type of evaluator, with the options that make it work most. */
export const ENTRIES: Record<string, Record<string, unknown>[]> = {
  exactMatch: [{}, { trim: true, ignoreCase: true }, { path: 'a' }],
  contains: [{ ignoreCase: true }, { value: `${'a'.repeat(19_999)}b` }],
  containsAny: [{ values: Array.from({ length: 1_000 }, (_, place) => `${'a'.repeat(50)}${place}`) }],
  containsAll: [{ values: [`${'a'.repeat(19_999)}b`, `${'1,'.repeat(9_000)}x`], ignoreCase: true }],
  regex: [
    { pattern: '(a+)+$' },
    { pattern: '\\p{L}'.repeat(40), ignoreCase: true },
    { pattern: '\\p{L}'.repeat(200), ignoreCase: true },
    { pattern: '(?:[a-z]{0,40}x){10}', ignoreCase: true },
  ],
  jsonValid: [{}],
  jsonSchema: [
    { schema: { type: 'array', uniqueItems: true, items: { pattern: '^(a|aa)+$', format: 'email' } } },
    {
      schema: {
        $ref: '#/$defs/a',
        $defs: {
          a: { anyOf: [{ items: { $ref: '#/$defs/a' } }, { $ref: '#/$defs/b' }] },
          b: { contains: { $ref: '#/$defs/a' } },
        },
      },
    },
    { schema: { anyOf: Array.from({ length: 3_000 }, (_, place) => ({ const: place })) } },
    { schema: { oneOf: Array.from({ length: 1_500 }, () => ({})) } },
    { schema: { allOf: Array.from({ length: 500 }, (_, place) => ({ pattern: `(a{9}${place.toString(36)}){90}` })) } },
    { schema: { properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, place) => [`k${place}`, {}])) } },
    {
      schema: {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries(
          // Twice as many exhaust the stack of a thread that has not optimized the compiler yet.
          Array.from({ length: 100 }, (_, place) => [
            `d${place}`,
            { items: { $ref: `#/$defs/d${(place + 1) % 100}` } },
          ]),
        ),
      },
    },
  ],
  jsonEqual: [{}, { ignoreOrder: true }, { subset: true }, { ignoreOrder: true, subset: true }],
  numeric: [{ find: 'last' }, { find: 'whole', value: 1 }],
  levenshtein: [{ ignoreCase: true }],
  tokenF1: [{}],
  rougeL: [{}],
  rougeN: [{ n: 4 }],
  bleu: [{ ignoreCase: true }],
  length: [{ maxCharacters: 5, minWords: 1 }],
  toolCalls: [{ match: 'unordered' }, { match: 'unordered', arguments: 'subset' }, { match: 'ordered' }],
  toolSelection: [{}],
  trajectory: [{ match: 'unordered' }, { match: 'exact' }],
  latency: [{ maxMs: 1 }],
  cost: [{ maxUsd: 1 }],
  tokens: [{ max: 1 }],
  f1: [{ ignoreCase: true }],
  humanRating: [{}],
  external: [{}],
  llmJudge: [{ instructions: 'Is it good?' }],
  classify: [{ labels: ['a', 'b'] }],
  comparisonJudge: [{}],
  referenceJudge: [{ instructions: 'Is it right?' }],
  pairwise: [{}],
  embeddingSimilarity: [{}],
}

export const TEXTS: Record<string, (size: number) => string> = {
  'one letter': (size) => 'a'.repeat(size),
  'short words': (size) => 'a b '.repeat(size / 4),
  'many words': (size) => Array.from({ length: size / 7 }, (_, place) => place.toString(36)).join(' '),
  'unspaced script': (size) => '漢'.repeat(size),
  'letters that grow': (size) => 'ß'.repeat(size),
  'marks to compose': (size) => '\u0301'.repeat(size),
  'letters to compose': (size) => '\u1100\u1161\u11a8'.repeat(size / 3),
  punctuation: (size) => '!.,'.repeat(size / 3),
  'line ends': (size) => '\r\n'.repeat(size / 2),
  numbers: (size) => '1,111'.repeat(size / 5),
  spaces: (size) => ' '.repeat(size),
  surrogates: (size) => '👍'.repeat(size / 2),
  'a fence that never ends': (size) => `\`\`\`${'\n'.repeat(size - 4)}x`,
  'a long array': (size) => `[${'1,'.repeat(size / 2 - 2)}1]`,
  'a wide object': (size) => `{${Array.from({ length: size / 12 }, (_, place) => `"${place.toString(36)}":1`).join()}}`,
  'objects that overlap': (size) =>
    `[${Array.from({ length: size / 40 }, (_, place) => `{"a":${place % 7},"b":${place % 11},"c":${place % 13}}`).join()}]`,
  'nested arrays': (size) =>
    `[${Array.from({ length: size / 800 }, () => `${'['.repeat(390)}1${']'.repeat(390)}`).join()}]`,
  'long texts in arrays': (size) => `[${Array.from({ length: 8 }, () => JSON.stringify('é'.repeat(size / 8))).join()}]`,
  'calls of tools': (size) =>
    JSON.stringify(
      Array.from({ length: STEPS }, (_, place) => ({
        name: 'a',
        arguments: { text: 'x'.repeat(size / STEPS / 2), n: place },
      })),
    ),
}

export function textOf(name: string, length: number): string {
  return TEXTS[name]?.(length) ?? ''
}

export function caseOf(output: string, expected: string): Case {
  const names = output.split(' ', STEPS)
  const steps = Array.from({ length: STEPS }, (_, place) => ({
    name: names[place] ?? 'a',
    arguments: { text: output.slice(0, 2_000), n: place },
  }))
  return { input: output, output, expected, baseline: expected, ratings: ['positive'], ...traceWith(steps) }
}

const vector = Array.from({ length: 200_000 }, (_, place) => place / 7)

/** Answers at once, and with vectors as long as an answer can hold. */
export const MODEL: ModelClient = {
  complete: async () => ({
    value: { reason: 'x', passed: true, score: 1, label: 'a', better: 'A' },
    model: 'm',
    usage: { ...UNKNOWN_USAGE, inputTokens: 1, outputTokens: 1 },
  }),
  embed: async () => ({
    vectors: [vector, vector],
    model: 'm',
    usage: { ...UNKNOWN_USAGE, inputTokens: 1, outputTokens: 0 },
  }),
}
