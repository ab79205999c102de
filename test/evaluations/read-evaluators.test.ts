import { describe, expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { ConfigError } from '../../src/evaluators/evaluator.ts'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { readAndCompile } from './verdict-of.ts'

const rejectionOf = (evaluators: unknown) => {
  try {
    readAndCompile(evaluators)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return error instanceof Error ? error.message : ''
  }
  throw new Error('expected an error')
}

describe('config.evaluators', () => {
  it('names an evaluator after its type unless it has a name of its own', () => {
    const read = readEvaluators([{ type: 'exactMatch' }, { type: 'exactMatch', name: 'strict' }])
    expect(read.map(({ name, type }) => [name, type])).toEqual([
      ['exactMatch', 'exactMatch'],
      ['strict', 'exactMatch'],
    ])
  })

  it.each<[unknown, string]>([
    ['all', 'config.evaluators must be an array of at least one evaluator'],
    [undefined, 'config.evaluators must be an array of at least one evaluator'],
    [[], 'config.evaluators must be an array of at least one evaluator'],
    [Array.from({ length: 51 }, (_, place) => ({ type: 'jsonValid', name: `${place}` })), 'has more than 50 entries'],
    [[5], 'config.evaluators[0] must be an object'],
    [[null], 'config.evaluators[0] must be an object'],
    [[['jsonValid']], 'config.evaluators[0] must be an object'],
    [[{}], 'config.evaluators[0].type must be the name of an evaluator'],
    [[{ type: 5 }], 'config.evaluators[0].type must be the name of an evaluator'],
    [[{ type: 'nope' }], 'config.evaluators[0].type: there is no evaluator "nope"'],
    [[{ type: 'exactmatch' }], '"exactmatch" (do you mean exactMatch?)'],
    [[{ type: 'constructor' }], 'there is no evaluator "constructor"'],
    [[{ type: '__proto__' }], 'there is no evaluator "__proto__"'],
    [[{ type: 'jsonValid' }, { type: 'jsonValid' }], 'two entries named jsonValid; give one of them another name'],
    [[{ type: 'jsonValid', name: '' }], 'config.evaluators[0].name must be a string of 1 to 200 characters'],
    [
      [{ type: 'jsonValid', name: 'x'.repeat(201) }],
      'config.evaluators[0].name must be a string of 1 to 200 characters',
    ],
    [[{ type: 'jsonValid', name: 5 }], 'config.evaluators[0].name must be a string'],
    [[{ type: 'jsonValid' }, { type: 'regex', pattern: 5 }], 'config.evaluators[1].pattern must be a string'],
    [[{ type: 'regex' }], 'config.evaluators[0].pattern is required'],
    [[{ type: 'regex', pattern: '' }], 'config.evaluators[0].pattern must not be empty'],
    [
      [{ type: 'contains', valeu: 'x' }],
      'config.evaluators[0].valeu is not known (do you mean value?); contains has the options value, ignoreCase',
    ],
    [
      [{ type: 'contains', threshold: 1 }],
      'config.evaluators[0].threshold is not known; contains has the options value,',
    ],
    [[JSON.parse('{"type":"contains","__proto__":{}}')], 'config.evaluators[0].__proto__ is not known'],
    [[{ type: 'contains', constructor: 'x' }], 'config.evaluators[0].constructor is not known'],
    [[{ type: 'containsAny', values: [] }], 'config.evaluators[0].values must not be empty'],
    [[{ type: 'containsAny', values: ['a', 5] }], 'config.evaluators[0].values[1] must be a string'],
    [[{ type: 'containsAll', values: 'a' }], 'config.evaluators[0].values must be an array'],
    [
      [{ type: 'classify', labels: ['a', 'a'] }],
      'config.evaluators[0].labels must not contain duplicates: [0] and [1] are equal',
    ],
    [[{ type: 'classify', labels: ['b', 'a', 'c', 'a'] }], 'labels must not contain duplicates: [1] and [3] are equal'],
    [[{ type: 'humanRating', positive: 'good' }], 'config.evaluators[0].positive must be an array'],
    [[{ type: 'humanRating', negative: [] }], 'config.evaluators[0].negative must not be empty'],
    [[{ type: 'latency', maxMs: 0 }], 'config.evaluators[0].maxMs must be above 0'],
    [[{ type: 'cost', maxUsd: -1 }], 'config.evaluators[0].maxUsd must be at least 0'],
    [[{ type: 'levenshtein', passAt: 1.5 }], 'config.evaluators[0].passAt must be at most 1'],
    [[{ type: 'rougeN', n: 1.5 }], 'config.evaluators[0].n must be a whole number'],
    [[{ type: 'trajectory', match: 'sorted' }], 'match must be one of exact, ordered, unordered, subset'],
    [[{ type: 'toolCalls', calls: [{ nmae: 'x' }] }], 'config.evaluators[0].calls[0].name is required'],
    [[{ type: 'exactMatch', path: 'a..b' }], 'config.evaluators[0].path must be a path such as'],
    [[{ type: 'length' }], 'config.evaluators[0] needs at least one of'],
    [[{ type: 'length', minWords: 3, maxWords: 2 }], 'config.evaluators[0].minWords must not be greater than maxWords'],
  ])('that is not valid is rejected with a message that names the key: %j', (evaluators, message) => {
    expect(rejectionOf(evaluators)).toContain(message)
  })

  it('the error message stays short for a long unknown key', () => {
    expect(rejectionOf([{ type: 'contains', ['x'.repeat(100_000)]: 1 }]).length).toBeLessThan(300)
    expect(rejectionOf([{ type: 'x'.repeat(100_000) }]).length).toBeLessThan(300)
  })
})

describe('the list of evaluators', () => {
  it('has no type twice', () => {
    const types = EVALUATOR_DEFINITIONS.map(({ type }) => type)
    expect(new Set(types).size).toBe(types.length)
  })

  it.each(EVALUATOR_DEFINITIONS.map((definition) => [definition.type, definition] as const))(
    '%s describes each of its options, and accepts no others',
    (_, { options }) => {
      expect(options).toMatchObject({ type: 'object', additionalProperties: false })
      for (const option of Object.values(options.properties)) expect(option).toHaveProperty('description')
    },
  )
})
