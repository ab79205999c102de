/**
 * The next choice by tree-structured Parzen estimators (Bergstra et al. 2011) for categories: what the best observations have chosen is likely,
 * what the others have chosen is not. Each dimension is estimated by itself.
 */
import { nextRandom, type RandomState } from '../../statistics/random/seeded-random.ts'

export type Observation = { choice: readonly number[]; score: number }

/** The first choices are uniform: an estimate from fewer observations would be a guess. */
const UNIFORM = 6
const BEST_SHARE = 0.25
const DRAWS = 24

/** One of `free`, each of which has a category in each of the dimensions; undefined if there is none. */
export function chooseByTpe(
  random: RandomState,
  observed: readonly Observation[],
  { sizes, free }: { sizes: readonly number[]; free: readonly (readonly number[])[] },
): readonly number[] | undefined {
  if (observed.length < UNIFORM) return drawFrom(random, free, () => 1)
  const sorted = observed.toSorted((one, other) => other.score - one.score)
  const count = Math.ceil(BEST_SHARE * sorted.length)
  const [good, bad] = [sorted.slice(0, count), sorted.slice(count)]
  const likelihood = (choice: readonly number[], group: readonly Observation[]) =>
    choice.reduce((product, category, place) => {
      const same = group.filter((one) => one.choice[place] === category).length
      // One observation more, which is spread over all categories: none is impossible.
      return (product * (same + 1 / (sizes[place] ?? 1))) / (group.length + 1)
    }, 1)
  const ratio = (choice: readonly number[]) => likelihood(choice, good) / likelihood(choice, bad)
  let best: readonly number[] | undefined
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const drawn = drawFrom(random, free, (choice) => likelihood(choice, good))
    if (drawn !== undefined && (best === undefined || ratio(drawn) > ratio(best))) best = drawn
  }
  return best
}

type Weight = (choice: readonly number[]) => number

function drawFrom(
  random: RandomState,
  choices: readonly (readonly number[])[],
  weightOf: Weight,
): readonly number[] | undefined {
  const weights = choices.map(weightOf)
  let point = nextRandom(random) * weights.reduce((sum, weight) => sum + weight, 0)
  for (const [place, choice] of choices.entries()) {
    point -= weights[place] ?? 0
    if (point < 0) return choice
  }
  return choices.at(-1)
}
