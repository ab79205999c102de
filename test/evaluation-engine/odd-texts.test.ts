import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  connectModel,
  evaluated,
  expectExactProgress,
  JUDGE,
  judging,
  QUICK,
  seedComponent,
  seedItems,
} from './evaluating.ts'

const EVALUATORS = [
  { type: 'exactMatch' },
  { type: 'contains', value: '😀x' },
  { type: 'containsAny', values: ['nothing', '\u{1F600}\u200d'] },
  { type: 'containsAll', values: ['a', '😀'] },
  { type: 'regex', pattern: '^(\\p{L}|\\s)+$' },
  { type: 'jsonValid' },
  { type: 'jsonSchema', schema: { type: 'object', required: ['a'] } },
  { type: 'jsonEqual' },
  { type: 'numeric', absolute: 1 },
  { type: 'levenshtein' },
  { type: 'tokenF1' },
  { type: 'rougeL' },
  { type: 'rougeN', n: 2 },
  { type: 'bleu' },
  { type: 'length', maxCharacters: 3 },
  { type: 'f1' },
]

/** Long texts of characters of two halves, starting at both parities, so that every cut goes through one of them. */
const TEXTS = [0, 1, 2, 3].flatMap((place) => [
  `${'x'.repeat(place)}${'😀'.repeat(700)}`,
  `{"${'k'.repeat(place)}${'😀'.repeat(700)}": "${'👩‍👩‍👧'.repeat(300)}"`,
  JSON.stringify({ [`${'k'.repeat(place)}${'😀'.repeat(300)}`]: '😀'.repeat(400), a: [1, { b: '\u001b\u202e' }] }),
  `${'e\u0301'.repeat(place)}\u202e\ufeff\u0001\u001b[31m \ufffe\uffff ${'\u2028\r\n'.repeat(100)}`,
])

describeEachEngine(
  'odd texts',
  (app) => {
    it('every evaluator without a model has a verdict that can be stored, for any text', async () => {
      const seeded = await seedComponent(app())
      const items = TEXTS.map((output, place) => ({
        input: 'q',
        output,
        expected: TEXTS[(place + 4) % TEXTS.length] ?? '',
      }))
      const { datasetId } = await seedItems(seeded, items)
      const body = await evaluated(seeded, { datasetId, config: { evaluators: EVALUATORS } })
      expect(body).toMatchObject({ status: 'completed', error: null })
      expect(body.progress).toMatchObject({ total: EVALUATORS.length * TEXTS.length, failed: 0 })
      const scores = await expectExactProgress(seeded.client, body.path)
      for (const { reason, error, label } of scores) {
        for (const text of [reason, error, label]) expect(String(text ?? '').isWellFormed()).toBe(true)
      }
    })

    it('stores the reasons of a judge as far as possible, for any text', async () => {
      const seeded = await seedComponent(app())
      const reasons = [
        '😀'.repeat(3_000),
        `x${'😀'.repeat(3_000)}`,
        '\ud83d half',
        'nothing\u0000ness',
        '\u202e\u001b[31m',
      ]
      const items = reasons.map((_, place) => ({ input: 'q', output: `answer ${place}` }))
      const { datasetId } = await seedItems(seeded, items)
      await connectModel(seeded, {
        answer: ({ user }) => ({ reason: reasons[Number(/answer (\d)/.exec(user)?.[1])], passed: true }),
      })
      const body = await evaluated(seeded, { datasetId, config: judging({ evaluators: [JUDGE] }) })
      expect(body.status).toBe('completed')
      const scores = await expectExactProgress(seeded.client, body.path)
      expect(scores.map(({ state }) => state)).toEqual(['scored', 'scored', 'failed', 'failed', 'scored'])
      for (const { error, state } of scores) if (state === 'failed') expect(error).toMatch(/cannot be used/)
    })
  },
  QUICK,
)
