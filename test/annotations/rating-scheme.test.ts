import { describe, expect, it } from 'vitest'
import {
  isGoodRating,
  majorityRating,
  type RatingScheme,
  ratingsArePositive,
  scoreOfRating,
  scoreOfRatings,
} from '../../src/evaluators/rating-scheme.ts'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

const STARS: RatingScheme = {
  ratings: [5, 1, 3, 2, 4].map((score) => ({ value: `${score} stars`, score, label: null })),
  ordered: true,
}

describe('the majority', () => {
  it('is the most frequent rating, and null for a tie', () => {
    expect(majorityRating(['a', 'b', 'a'])).toBe('a')
    expect(majorityRating(['a'])).toBe('a')
    expect(majorityRating(['a', 'a', 'b', 'c'])).toBe('a')
    expect(majorityRating(['a', 'b'])).toBeNull()
    expect(majorityRating(['a', 'a', 'b', 'b', 'c'])).toBeNull()
    expect(majorityRating([])).toBeNull()
  })

  it('of good and bad counts people, not words: four and five stars are both good', () => {
    const unordered = { ...STARS, ordered: false }
    expect(ratingsArePositive(unordered, ['4 stars', '5 stars', '1 stars'])).toBe(true)
    expect(ratingsArePositive(unordered, ['1 stars', '2 stars', '5 stars'])).toBe(false)
    expect(ratingsArePositive(unordered, ['1 stars', '5 stars'])).toBeUndefined()
  })
})

describe('the ratings of an item', () => {
  it('have their mean as the score, so that items on which raters differ are not discarded', () => {
    expect(scoreOfRatings({ ...STARS, ordered: false }, ['4 stars', '1 stars'])).toBe(2.5)
    expect(scoreOfRatings(STARS, ['4 stars', '5 stars'])).toBe(4.5)
    expect(scoreOfRatings(STARS, ['1 stars', '2 stars', '3 stars'])).toBeCloseTo(2, 12)
    expect(scoreOfRatings(STARS, ['4 stars', 'no such word'])).toBe(4)
    expect(scoreOfRatings(STARS, ['no such word'])).toBeUndefined()
    expect(scoreOfRatings(STARS, [])).toBeUndefined()
  })

  it('are good if their mean is in the upper half, and neither in the middle', () => {
    expect(ratingsArePositive(STARS, ['4 stars', '5 stars', '1 stars'])).toBe(true)
    expect(ratingsArePositive(STARS, ['4 stars', '3 stars'])).toBe(true)
    expect(ratingsArePositive(STARS, ['2 stars', '2 stars', '4 stars'])).toBe(false)
    expect(ratingsArePositive(STARS, ['1 stars', '5 stars'])).toBeUndefined()
    expect(ratingsArePositive(STARS, ['3 stars', 'no such word', '5 stars'])).toBe(true)
    expect(ratingsArePositive(STARS, ['3 stars'])).toBeUndefined()
    expect(ratingsArePositive(STARS, [])).toBeUndefined()
  })
})

describe('a scheme', () => {
  it('calls the upper half good, the lower half bad, and the middle neither', () => {
    expect(STARS.ratings.map(({ value }) => isGoodRating(STARS, value))).toEqual([true, false, undefined, false, true])
    expect(scoreOfRating(STARS, '4 stars')).toBe(4)
    expect(scoreOfRating(STARS, '6 stars')).toBeUndefined()
  })
})

describeEachEngine('the rating scheme of an application', (app) => {
  it('is positive and negative, without an order, until it is set; then it is what was set', async () => {
    const { client } = await app().newWorkspace()
    const ratings = [
      { value: 'positive', score: 1, label: null, color: null, key: '1' },
      { value: 'negative', score: 0, label: null, color: null, key: '2' },
    ]
    expect((await client.get('/rating-scheme')).body).toEqual({ ratings, ordered: false })
    const body = {
      ratings: [
        { value: 'bad', score: -1 },
        { value: 'good', score: 2.5, label: 'Good ✓' },
      ],
      ordered: true,
    }
    const set = await client.send('PUT', '/rating-scheme', { body })
    expect(set.status).toBe(200)
    const stored = {
      ratings: [
        { value: 'bad', score: -1, label: null, color: null, key: '1' },
        { ...body.ratings[1], color: null, key: '2' },
      ],
      ordered: true,
    }
    expect(set.body).toEqual(stored)
    expect((await client.get('/rating-scheme')).body).toEqual(stored)
    await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: false } })
    expect((await client.get('/rating-scheme')).body).toEqual({ ratings, ordered: false })
  })

  it('assigns free keys in order, keeps colors, and does not change when it is sent back', async () => {
    const { client } = await app().newWorkspace()
    const ratings = [
      { value: 'wrong', score: 0, color: 'red', key: '2' },
      { value: 'partly', score: 1, color: 'gold' },
      { value: 'unsure', score: 2, key: null },
      { value: 'right', score: 3, color: 'green' },
    ]
    const { status, body } = await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
    expect(status).toBe(200)
    expect(Array.from(Object(body.ratings), (rating) => Object(rating).key)).toEqual(['2', '1', null, '3'])
    expect(Array.from(Object(body.ratings), (rating) => Object(rating).color)).toEqual(['red', 'gold', null, 'green'])
    const again = await client.send('PUT', '/rating-scheme', { body })
    expect(again.body).toEqual(body)
    expect((await client.get('/rating-scheme')).body).toEqual(body)
  })

  it('has no key for the tenth rating', async () => {
    const { client } = await app().newWorkspace()
    const ratings = Array.from({ length: 10 }, (_, score) => ({ value: `${score}`, score }))
    const { body } = await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
    expect(Array.from(Object(body.ratings), (rating) => Object(rating).key)).toEqual([...'123456789', null])
  })

  it('that was stored before there were keys and colors has both', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const ratings = JSON.stringify([
      { value: 'no', score: 0, label: null },
      { value: 'yes', score: 1, label: 'Yes' },
    ])
    const updated_at = '2026-01-01T00:00:00.000Z'
    await app().storage.transaction((tx) =>
      tx
        .insertInto('rating_schemes')
        .values({ workspace_id: workspaceId, ratings, is_ordered: 0, updated_at })
        .execute(),
    )
    expect((await client.get('/rating-scheme')).body.ratings).toEqual([
      { value: 'no', score: 0, label: null, color: null, key: '1' },
      { value: 'yes', score: 1, label: 'Yes', color: null, key: '2' },
    ])
  })

  it('is rejected with one key for two ratings, a key that is no digit, and a color that is not in the palette', async () => {
    const { client } = await app().newWorkspace()
    const put = (display: object) => {
      const ratings = [
        { value: 'a', score: 0, key: '1' },
        { value: 'b', score: 1, ...display },
      ]
      return client.send('PUT', '/rating-scheme', { body: { ratings, ordered: false } })
    }
    expectError(await put({ key: '1' }), 400, 'The field ratings must not contain duplicate keys')
    for (const key of ['0', 'a', '10', '', 2]) expectError(await put({ key }), 400, /ratings\[1\]\.key must be/)
    for (const color of ['#ff0000', 'Red', '', 1]) expectError(await put({ color }), 400, /ratings\[1\]\.color must be/)
    expect((await put({ key: null, color: 'teal' })).status).toBe(200)
  })

  it('that was set allows no other words, with 400 that lists its own; without one any word is a rating', async () => {
    const { client } = await app().newWorkspace()
    const path = `/components/${await client.create('/components', { name: 'Rated' })}`
    const datasetId = await client.create(`${path}/datasets`, { name: 'Questions' })
    const runId = await client.create(`${path}/runs`, { datasetId, traceIds: ['t'] })
    const rate = (rating: string) => client.post(`${path}/runs/${runId}/annotations`, { traceDbId: 't', rating })
    expect((await rate('maybe')).status).toBe(201)
    const ratings = [
      { value: 'good', score: 1 },
      { value: 'bad', score: 0 },
    ]
    await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: false } })
    expectError(await rate('maybe'), 400, 'The field rating must be one of the values of the rating scheme: good, bad')
    expect((await rate('good')).status).toBe(201)
    expect((await rate('')).status).toBe(201)
  })

  it('of one application is not that of another', async () => {
    const [one, other] = [await app().newWorkspace(), await app().newWorkspace()]
    const ratings = [
      { value: 'up', score: 1, label: null },
      { value: 'down', score: 0, label: null },
    ]
    await one.client.send('PUT', '/rating-scheme', { body: { ratings, ordered: false } })
    expect((await other.client.get('/rating-scheme')).text).not.toContain('"up"')
  })

  it('is rejected without two different scores, with duplicates and with invalid fields', async () => {
    const { client } = await app().newWorkspace()
    const put = (ratings: object[], ordered = false) =>
      client.send('PUT', '/rating-scheme', { body: { ratings, ordered } })
    const a = { value: 'a', score: 1 }
    expectError(await put([a]), 400, 'The field ratings must have at least 2 entries')
    expectError(await put([a, { value: 'a', score: 2 }]), 400, 'The field ratings must not contain duplicate values')
    expectError(await put([a, { value: 'b', score: 1 }]), 400, /two different scores/)
    const tied = [a, { value: 'b', score: 1 }, { value: 'c', score: 2 }]
    expectError(await put(tied, true), 400, /different score for each value/)
    expect((await put(tied)).status).toBe(200)
    expectError(await put([a, { value: '', score: 2 }]), 400, /value/)
    expectError(await put([a, { value: 'b', score: '2' }]), 400, /score/)
    expectError(await client.send('PUT', '/rating-scheme', { body: { ratings: tied } }), 400, /ordered/)
  })

  it('is rejected with a score outside the comparable range', async () => {
    const { client } = await app().newWorkspace()
    const put = (high: number, low: number) => {
      const ratings = [
        { value: 'a', score: high },
        { value: 'b', score: low },
      ]
      return client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
    }
    expectError(await put(1e308, -1e308), 400, 'The field ratings[0].score must be at most 1000000')
    expectError(await put(1_000_000.5, 0), 400, 'The field ratings[0].score must be at most 1000000')
    expectError(await put(0, -1_000_000.5), 400, 'The field ratings[1].score must be at least -1000000')
    expect((await put(1_000_000, -1_000_000)).status).toBe(200)
  })

  it('is set by editors, and the audit log has the author', async () => {
    const { workspaceId, client } = await app().newWorkspace()
    const body = {
      ratings: [
        { value: 'a', score: 1 },
        { value: 'b', score: 0 },
      ],
      ordered: false,
    }
    expectError(await (await browserWith(app(), workspaceId, 'annotator')).send('PUT', '/rating-scheme', { body }), 403)
    expect((await (await browserWith(app(), workspaceId, 'viewer')).get('/rating-scheme')).status).toBe(200)
    expect((await client.send('PUT', '/rating-scheme', { body })).status).toBe(200)
    const [newest] = await (await browserWith(app(), workspaceId, 'owner')).list('/audit-log')
    expect(newest).toMatchObject({ action: 'rating-scheme.changed', resourceId: workspaceId })
  })
})
