import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dawidSkene, type RatedUnits } from '../../src/statistics/agreement/dawid-skene.ts'
import { runSlices } from './in-one-go.ts'

/** Table 1 of the paper: 45 patients, rated three times by the first observer and once by four others. */
const PATIENTS =
  '1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222'
const OBSERVERS = ['1', '1', '1', '2', '3', '4', '5']
const CATEGORIES = ['1', '2', '3', '4']

const units: RatedUnits = PATIENTS.split(' ').map((patient) =>
  [...patient].map((rating, place) => ({ rater: OBSERVERS[place] ?? '', rating })),
)

const voted = fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 3, maxLength: 5 }), {
  minLength: 1,
  maxLength: 20,
})
const named = (ratings: readonly (readonly string[])[]): RatedUnits =>
  ratings.map((unit) => unit.map((rating, rater) => ({ rater: `r${rater}`, rating })))

describe('dawidSkene', () => {
  test('has the shares and error rates of the anaesthetists that the paper prints', () => {
    const { shares = [], confusions } = runSlices(dawidSkene(units, { categories: CATEGORIES, smoothing: 0 })) ?? {}
    expect(shares.map((share) => share.toFixed(2))).toEqual(['0.40', '0.42', '0.11', '0.07'])
    const first = confusions?.get('1') ?? []
    expect(first.slice(0, 3).map((row) => row.map((rate) => rate.toFixed(2)))).toEqual([
      ['0.89', '0.11', '0.00', '0.00'],
      ['0.07', '0.88', '0.05', '0.00'],
      ['0.00', '0.34', '0.66', '0.00'],
    ])
  })

  test('does not depend on the order of units and raters', () => {
    fc.assert(
      fc.property(voted, (ratings) => {
        const there = runSlices(dawidSkene(named(ratings), { categories: ['a', 'b', 'c'] }))
        const turned = named(ratings)
          .map((unit) => unit.toReversed())
          .toReversed()
        const back = runSlices(dawidSkene(turned, { categories: ['a', 'b', 'c'] }))
        expect(back?.shares).toEqual(there?.shares.map((share) => expect.closeTo(share, 6)))
      }),
    )
  })

  test('finds what all raters say, if all say the same', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 20 }), (truths) => {
        const ratings = named(truths.map((truth) => [truth, truth, truth]))
        const { posteriors = [] } = runSlices(dawidSkene(ratings, { categories: ['a', 'b', 'c'] })) ?? {}
        expect(posteriors.map((of) => 'abc'[of.indexOf(Math.max(...of))])).toEqual(truths)
      }),
    )
  })

  test('outvotes a rater who rates at random', () => {
    const truths = Array.from({ length: 40 }, (_, place) => (place % 2 === 0 ? 'a' : 'b'))
    // Two are right in nine of ten cases, on different ones; three always say the same.
    const ratings = named(
      truths.map((truth, place) => {
        const other = truth === 'a' ? 'b' : 'a'
        return [place % 10 === 3 ? other : truth, place % 10 === 6 ? other : truth, truth, 'a', 'a']
      }),
    )
    const { posteriors = [] } = runSlices(dawidSkene(ratings, { categories: ['a', 'b'] })) ?? {}
    expect(posteriors.map(([a = 0, b = 0]) => (a > b ? 'a' : 'b'))).toEqual(truths)
  })

  test('has no result without ratings', () => {
    expect(runSlices(dawidSkene([], { categories: CATEGORIES }))).toBeUndefined()
  })
})
