/** Chooses the candidates that a round improves on, and the training items that each proposal is about. */
import { nextRandom, type RandomState, seededRandom } from '../../statistics/random/seeded-random.ts'
import { type FrontMember, frontOf } from './front.ts'
import { type Candidate, ROUNDING, type Search } from './search.ts'

/** Random numbers follow from the seed and the number of the round or candidate, so that a round is the same after a crash. */
export function planRound(search: Search): Candidate[] {
  const { settings, candidates } = search
  const round = 1 + Math.max(0, ...candidates.map((candidate) => candidate.round))
  const random = seededRandom(`experiment:${settings.seed}:round:${round}`)
  const improvable = frontOf(search).filter(({ number }) => mayImprove(search, number))
  const parents = drawWeighted(random, improvable, settings.parents)
  const first = Math.max(...candidates.map(({ number }) => number)) + 1
  return parents
    .flatMap((parent) => Array.from({ length: settings.proposals }, () => parent))
    .map((parent, place): Candidate => {
      const number = first + place
      const sample = drawSample(search, { parent, number })
      return { number, parent, round, sample, step: 'sampling', state: 'proposed', fate: null, hash: null }
    })
}

/** False if all training items are known to be answered well: a reflection would have nothing to read. */
function mayImprove({ settings, valueFor }: Search, number: number): boolean {
  return settings.train.some((item) => {
    const value = valueFor(number, item)
    return value === undefined || isFailing(value)
  })
}

export function isFailing(value: number | null | undefined): boolean {
  return typeof value === 'number' && value < 1 - ROUNDING
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

/** Up to half of it are items that the parent is known to fail: a sample without one would teach nothing. */
function drawSample({ settings, valueFor }: Search, { parent, number }: { parent: number; number: number }): string[] {
  const random = seededRandom(`experiment:${settings.seed}:sample:${number}`)
  const shuffled = shuffle(random, settings.train)
  const failing = shuffled.filter((item) => isFailing(valueFor(parent, item)))
  const chosen = new Set(failing.slice(0, Math.ceil(settings.sampleSize / 2)))
  for (const item of shuffled) {
    if (chosen.size >= settings.sampleSize) break
    chosen.add(item)
  }
  return [...chosen]
}

export function shuffle<Item>(random: RandomState, items: readonly Item[]): Item[] {
  const order = [...items]
  for (let index = order.length - 1; index > 0; index -= 1) {
    const drawn = Math.floor(nextRandom(random) * (index + 1))
    const [one, other] = [order[index], order[drawn]]
    if (one === undefined || other === undefined) continue
    order[index] = other
    order[drawn] = one
  }
  return order
}
