/** Demonstrations: training items with the answers of a prompt that passed, which other prompts show to their model. */
import { seededRandom } from '../../statistics/random/seeded-random.ts'
import { shuffle } from './draw-sample.ts'
import {
  bestValidated,
  type Candidate,
  NEW,
  nextNumber,
  nextRound,
  ROUNDING,
  type Search,
  type Step,
  type Wave,
} from './search.ts'

/** Twice as many as the largest set needs, so that sets differ. */
const PASSED_WANTED = 16
const SIZES = [1, 2, 4, 8]
const DRAWS_MAX = 20

/** The items that `base` has answered as well as possible, or the calls that are needed to know them. */
export function findPassed({ settings, valueFor }: Search, base: number): string[] | Wave {
  const order = shuffle(seededRandom(`experiment:${settings.seed}:demonstrations:${base}`), settings.train)
  const passed = order.filter((item) => (valueFor(base, item) ?? 0) >= 1 - ROUNDING)
  const open = order.filter((item) => valueFor(base, item) === undefined)
  if (passed.length >= PASSED_WANTED || open.length === 0) return passed
  const asked = open.slice(0, PASSED_WANTED)
  return { changes: [], added: [], calls: asked.map((itemId) => ({ kind: 'train', candidate: base, itemId })) }
}

/** A set of each size, by draws that follow from the seed. Sets that are in `known` are not drawn again. */
export function drawSets(
  passed: readonly string[],
  { seed, known }: { seed: string; known: ReadonlySet<string> },
): string[][] {
  const drawn = new Map<string, string[]>()
  const sizes = new Set(SIZES.map((size) => Math.min(size, passed.length)))
  for (const size of sizes) {
    const random = seededRandom(`${seed}:${size}`)
    for (let draw = 0; draw < DRAWS_MAX; draw += 1) {
      const chosen = new Set(shuffle(random, passed).slice(0, size))
      // In one order, so that the same items are the same prompt.
      const set = passed.filter((item) => chosen.has(item))
      if (set.length === 0 || known.has(keyOf(set)) || drawn.has(keyOf(set))) continue
      drawn.set(keyOf(set), set)
      break
    }
  }
  return [...drawn.values()]
}

export function keyOf(demonstrations: readonly string[]): string {
  return [...demonstrations].sort().join(' ')
}

/** Looks for the demonstrations with which `base` is best. */
export function planDemonstrations(search: Search, base: number): Step {
  const own = search.candidates.filter(({ kind }) => kind === 'demonstrations')
  const best = bestValidated(search)
  const since = own.filter(({ number }) => best === undefined || number > best.number).length
  const { patience, seed } = search.settings
  if (since >= patience)
    return {
      end: 'patience',
      reason: `The last ${since} sets of demonstrations were not better (patience ${patience})`,
    }
  const passed = findPassed(search, base)
  if (!Array.isArray(passed)) return passed
  const [round, first] = [nextRound(search), nextNumber(search)]
  const known = new Set(own.map(({ demonstrations }) => keyOf(demonstrations)))
  const sets = drawSets(passed, { seed: `experiment:${seed}:sets:${round}`, known })
  if (sets.length === 0) return { end: 'nothingToImprove', reason: own.length === 0 ? NONE_PASSED : ALL_TRIED }
  const added = sets.slice(0, patience - since).map(
    (demonstrations, place): Candidate => ({
      ...NEW,
      number: first + place,
      kind: 'demonstrations',
      parent: base,
      round,
      demonstrations,
      step: 'composing',
    }),
  )
  return { changes: [], added, calls: [] }
}

const NONE_PASSED = 'No answer to a training item passed, so that there is nothing to demonstrate'
const ALL_TRIED = 'All sets of demonstrations were tried'
