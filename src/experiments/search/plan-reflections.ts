/** Chooses the candidates that a round improves on, and the training items that each proposal is about. */
import { nextRandom, type RandomState, seededRandom } from '../../statistics/random/seeded-random.ts'
import { drawSample } from './draw-sample.ts'
import { type FrontMember, frontOf } from './front.ts'
import { planMerge } from './merge-pair.ts'
import { type Candidate, isFailing, NEW, nextNumber, nextRound, type Search } from './search.ts'

/** Random numbers follow from the seed and the number of the round or candidate, so that a round is the same after a crash. */
export function planReflections(search: Search): Candidate[] {
  const { settings } = search
  const round = nextRound(search)
  const random = seededRandom(`experiment:${settings.seed}:round:${round}`)
  const improvable = frontOf(search).filter(({ number }) => mayImprove(search, number))
  const parents = drawWeighted(random, improvable, settings.parents)
  const first = nextNumber(search)
  const added = parents
    .flatMap((parent) => Array.from({ length: settings.proposals }, () => parent))
    .map((parent, place): Candidate => {
      const number = first + place
      const sample = drawSample(search, { parent, number })
      return { ...NEW, number, kind: 'reflection', parent, round, sample, step: 'sampling' }
    })
  const merge = planMerge(search, { number: first + added.length, round })
  return merge ? [...added, merge] : added
}

/** False if all training items are known to be answered well: a reflection would have nothing to read. */
function mayImprove({ settings, valueFor }: Search, number: number): boolean {
  return settings.train.some((item) => {
    const value = valueFor(number, item)
    return value === undefined || isFailing(value)
  })
}

/** Without repetition, by the number of items on which each is best. */
function drawWeighted(random: RandomState, members: readonly FrontMember[], count: number): number[] {
  const left = members.filter(({ best }) => best > 0)
  const drawn: number[] = []
  while (drawn.length < count && left.length > 0) {
    let point = nextRandom(random) * left.reduce((sum, { best }) => sum + best, 0)
    let place = 0
    while (place < left.length - 1 && point >= (left[place]?.best ?? 0)) {
      point -= left[place]?.best ?? 0
      place += 1
    }
    for (const { number } of left.splice(place, 1)) drawn.push(number)
  }
  return drawn
}
