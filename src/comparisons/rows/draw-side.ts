import { createHash } from 'node:crypto'

type Shown = {
  userId: string
  baseline: string
  candidate: string
  /** The position of the item in its dataset, from 1. */
  number: number
  repetition: number
}

/**
 * The run that a user sees on the left, so that a habit of choosing one side favors neither run. Of each two items that
 * follow each other, every run is on the left once, in an order that is random for each user: the sides of a whole dataset
 * differ by one at most, and those of some of its items do not depend on which they are. Reading it again, and swapping
 * baseline and candidate, does not change which run it is.
 */
export function drawSide({ userId, baseline, candidate, number, repetition }: Shown): 'baseline' | 'candidate' {
  const block = Math.ceil(number / 2)
  const draw = [userId, ...[baseline, candidate].sort(), block].join(' ')
  const [random = 0] = createHash('sha256').update(draw).digest()
  const isFirstRun = (random + number + repetition) % 2 === 0
  return isFirstRun === baseline < candidate ? 'baseline' : 'candidate'
}
