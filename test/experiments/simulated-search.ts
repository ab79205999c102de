/** Runs a search in memory: every answer and every reflection is a function, and nothing is stored. */

import { planStep } from '../../src/experiments/search/plan-step.ts'
import type { Candidate, CandidateChange, Proposed, Search, SearchEnd } from '../../src/experiments/search/search.ts'
import { nextRandom, type RandomState, seededRandom } from '../../src/statistics/random/seeded-random.ts'

export type Simulated = {
  seed: number
  train: readonly string[]
  validation: readonly string[]
  maxCalls: number
  settings?: Partial<Search['settings']>
  /** The value of the answer of a prompt to an item. */
  answer(prompt: string, itemId: string, random: RandomState): number
  /** The prompt that a reflection proposes. It sees only the prompt, and the items of the sample with their values. */
  propose(prompt: string, cases: { itemId: string; value: number | null }[], random: RandomState): string
}

export type SimulatedEnd = { search: Search; prompts: Map<number, string>; end: SearchEnd; calls: number }

export function simulate(task: Simulated): SimulatedEnd {
  const random = seededRandom(`simulation ${task.seed}`)
  const values = new Map<string, number | null>()
  const proposals = new Map<number, Proposed>()
  const prompts = new Map([[0, '']])
  let candidates: Candidate[] = [
    { number: 0, parent: null, round: 0, sample: [], step: 'validating', state: 'proposed', fate: null, hash: '' },
  ]
  let calls = 0
  const search = (): Search => ({
    settings: {
      seed: task.seed,
      train: task.train,
      validation: task.validation,
      parents: 2,
      proposals: 1,
      sampleSize: 8,
      patience: 1_000,
      callsPerAnswer: 1,
      ...task.settings,
    },
    candidates,
    valueFor: (candidate, itemId) => values.get(`${candidate} ${itemId}`),
    proposedFor: (candidate) => proposals.get(candidate),
    callsLeft: task.maxCalls - calls,
  })
  for (;;) {
    const now = search()
    const step = planStep(now)
    if ('end' in step) return { search: now, prompts, end: step.end, calls }
    candidates = [...candidates.map((one) => changed(one, step.changes)), ...step.added]
    for (const { kind, candidate, itemId } of step.calls) {
      calls += 1
      if (kind !== 'reflection') {
        const key = `${candidate} ${itemId}`
        if (values.has(key)) throw new Error(`${key} was asked for twice`)
        values.set(key, task.answer(prompts.get(candidate) ?? '', itemId ?? '', random))
        continue
      }
      const { parent, sample = [] } = candidates.find(({ number }) => number === candidate) ?? {}
      const cases = sample.map((item) => ({ itemId: item, value: values.get(`${parent} ${item}`) ?? null }))
      const prompt = task.propose(prompts.get(parent ?? 0) ?? '', cases, random)
      prompts.set(candidate, prompt)
      proposals.set(candidate, { hash: prompt })
    }
  }
}

function changed(candidate: Candidate, changes: readonly CandidateChange[]): Candidate {
  const after = { ...candidate }
  for (const { reason: _, ...change } of changes) if (change.number === candidate.number) Object.assign(after, change)
  return after
}

const RULES = ['a', 'b', 'c', 'd', 'e', 'f']

/** Items `a1`, `b2` and so on: each needs the rule that its name begins with. */
export function itemsWithRules(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, place) => `${RULES[place % RULES.length]}${prefix}${place}`)
}

/** Six hidden rules: an answer is right if the prompt has the rule of its item. */
function ruleOf(itemId: string): string {
  return itemId.charAt(0)
}

export function followsRule(prompt: string, itemId: string): number {
  return Number(prompt.includes(`(${ruleOf(itemId)})`))
}

/** Names a rule of one failing item with probability 0.5, else nonsense. */
export function proposeRule(
  prompt: string,
  cases: { itemId: string; value: number | null }[],
  random: RandomState,
): string {
  const failing = cases.filter(({ value }) => value !== null && value < 1)
  const chosen = failing[Math.floor(nextRandom(random) * failing.length)]
  if (!chosen || nextRandom(random) < 0.5) return `${prompt} nonsense ${Math.floor(nextRandom(random) * 1e9)}`
  return `${prompt} (${ruleOf(chosen.itemId)})`
}
