/** Seeded draws of training items. */
import { nextRandom, type RandomState, seededRandom } from '../../statistics/random/seeded-random.ts'
import { isFailing, type Search } from './search.ts'

/** Up to half of it are items that the parent is known to fail: a sample without one would teach nothing. */
export function drawSample(
  { settings, valueFor }: Search,
  { parent, number, items = settings.train }: { parent: number; number: number; items?: readonly string[] },
): string[] {
  const random = seededRandom(`experiment:${settings.seed}:sample:${number}`)
  const shuffled = shuffle(random, items)
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
