import { seededRandom } from '../../statistics/random/seeded-random.ts'
import { shuffle } from '../search/draw-sample.ts'

/** Random, so that the first part of the items is a sample of them; the same for all candidates. */
export function validationOrder(items: readonly string[], seed: number): string[] {
  return shuffle(seededRandom(`experiment:${seed}:validation`), items)
}
