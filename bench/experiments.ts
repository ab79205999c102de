/**
 * Measures in simulations what experiments promise, without a server and without a model: how often each optimizer finds a known optimum within
 * a number of calls, how often it reports an improvement where no prompt matters, and how good the best of many equal candidates looks.
 * Seeded: if a number changes, the code has changed. `node bench/experiments.ts [seeds]`
 */
import { chooseFinalists } from '../src/experiments/search/choose-finalists.ts'
import { OPTIMIZERS, type Optimizer } from '../src/experiments/search/search.ts'
import { exactMcNemar } from '../src/statistics/paired-tests.ts'
import { nextRandom, type RandomState, seededRandom } from '../src/statistics/random/seeded-random.ts'
import {
  followsRule,
  followsRuleOrExample,
  itemsWithRules,
  proposeRule,
  type Simulated,
  type SimulatedEnd,
  simulate,
} from '../test/experiments/simulated-search.ts'

const seeds = Number(process.argv[2] ?? 100)
const TEST_ITEMS = 60
const LEVEL = 0.05

type Task = Omit<Simulated, 'settings'>

/** Six hidden rules, of which the start has none. */
function rules(seed: number, maxCalls: number): Task {
  const [train, validation] = [itemsWithRules('r', 18), itemsWithRules('v', 12)]
  return { seed, train, validation, maxCalls, answer: followsRule, propose: proposeRule }
}

/** The same rules, which demonstrations show, too; three in ten answers of the start are right. */
function examples(seed: number, maxCalls: number): Task {
  const [train, validation] = [itemsWithRules('r', 36), itemsWithRules('v', 24)]
  return { seed, train, validation, maxCalls, answer: followsRuleOrExample(seed), propose: proposeRule }
}

/** Seven in ten answers are right, with any prompt. */
function nothing(seed: number, maxCalls: number): Task {
  const [train, validation] = [itemsWithRules('r', 60), itemsWithRules('v', 50)]
  const answer = (_prompt: string, _item: string, random: RandomState) => Number(nextRandom(random) < 0.7)
  return { seed, train, validation, maxCalls, answer, propose: proposeAnything }
}

const proposeAnything: Simulated['propose'] = (prompt, _cases, random) =>
  `${prompt} ${Math.floor(nextRandom(random) * 1e9)}`

function finalistOf({ search }: SimulatedEnd): number | undefined {
  return chooseFinalists(search, { count: 1, whyNot: () => undefined, tieBreak: () => 0 })[0]
}

function measureKnown(optimizer: Optimizer, task: (seed: number, maxCalls: number) => Task, maxCalls: number) {
  const test = itemsWithRules('t', TEST_ITEMS)
  const ends = Array.from({ length: seeds }, (_, seed) => {
    const given = task(seed, maxCalls)
    const end = simulate({ ...given, settings: { optimizer, patience: 1_000 } })
    const prompt = end.prompts.get(finalistOf(end) ?? 0) ?? ''
    const random = seededRandom(`test ${seed}`)
    const right = test.filter((item) => given.answer(prompt, item, random) === 1).length
    return { calls: end.calls, rate: right / TEST_ITEMS }
  })
  const found = ends.filter(({ rate }) => rate >= 0.9).length
  return [mean(ends.map(({ calls }) => calls)).toFixed(0), mean(ends.map(({ rate }) => rate)).toFixed(2), share(found)]
}

function measureNull(optimizer: Optimizer) {
  let improved = 0
  let tested = 0
  for (let seed = 0; seed < seeds; seed += 1) {
    const end = simulate({ ...nothing(seed, 2_000), settings: { optimizer, patience: 1_000 } })
    if (finalistOf(end) === undefined) continue
    tested += 1
    if (isImproved(seededRandom(`test ${seed}`), 100, 0.7)) improved += 1
  }
  return [share(tested), share(improved)]
}

/** Of two prompts that are equally good. */
function isImproved(random: RandomState, items: number, rate: number): boolean {
  let [gained, lost] = [0, 0]
  for (let item = 0; item < items; item += 1) {
    const [before, after] = [nextRandom(random) < rate, nextRandom(random) < rate]
    if (after && !before) gained += 1
    if (before && !after) lost += 1
  }
  return gained > lost && exactMcNemar({ gained, lost }).p < LEVEL
}

/** Of right answers, by each of the candidates. */
const TRAP_RATE = 0.85

const TRAPS = [
  { items: 50, candidates: 5 },
  { items: 50, candidates: 15 },
  { items: 50, candidates: 50 },
  { items: 200, candidates: 50 },
]

/** The best of equal candidates, on the items that chose it and on new ones. */
function measureTrap({ items, candidates }: (typeof TRAPS)[number], repetitions: number) {
  let [gain, onValidation, onNew] = [0, 0, 0]
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const random = seededRandom(`trap ${items} ${candidates} ${repetition}`)
    const answers = () => Array.from({ length: items }, () => nextRandom(random) < TRAP_RATE)
    const start = answers()
    const right = (all: readonly boolean[]) => all.filter(Boolean).length
    let best = answers()
    for (let candidate = 1; candidate < candidates; candidate += 1) {
      const other = answers()
      if (right(other) > right(best)) best = other
    }
    gain += (right(best) - right(start)) / items
    const gained = best.filter((isRight, place) => isRight && !start[place]).length
    const lost = start.filter((isRight, place) => isRight && !best[place]).length
    if (gained > lost && exactMcNemar({ gained, lost }).p < LEVEL) onValidation += 1
    if (isImproved(random, 100, TRAP_RATE)) onNew += 1
  }
  const percent = (count: number) => `${((100 * count) / repetitions).toFixed(1)} %`
  return [`${((100 * gain) / repetitions).toFixed(1)} points`, percent(onValidation), percent(onNew)]
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function share(count: number): string {
  return `${count} of ${seeds}`
}

function print(title: string, heads: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  console.log([`\n${title}\n`, line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n'))
}

const KNOWN = ['optimizer', 'calls', 'right on new items', 'at least 0.9']
for (const [name, task] of Object.entries({ rules, examples }))
  for (const maxCalls of [300, 1_000])
    print(
      `Task "${name}", at most ${maxCalls} calls`,
      KNOWN,
      OPTIMIZERS.map((optimizer) => [optimizer, ...measureKnown(optimizer, task, maxCalls)]),
    )
print(
  'No prompt matters, 2000 calls, 100 test items',
  ['optimizer', 'test opened', '"improved"'],
  OPTIMIZERS.map((optimizer) => [optimizer, ...measureNull(optimizer)]),
)
print(
  'The best of equal candidates',
  ['validation items', 'candidates', 'looks better by', '"improved" on validation', 'on 100 new items'],
  TRAPS.map((trap) => [trap.items, trap.candidates, ...measureTrap(trap, 40 * seeds)]),
)
