/** Runs a search in memory: every answer and every reflection is a function, and nothing is stored. */
import { createHash } from 'node:crypto'

import { mergeTexts } from '../../src/experiments/compose/merge-texts.ts'
import { commonAncestor } from '../../src/experiments/search/merge-pair.ts'
import { planStep } from '../../src/experiments/search/plan-step.ts'
import {
  type Candidate,
  type CandidateChange,
  NEW,
  type Proposed,
  type Search,
  type SearchEnd,
} from '../../src/experiments/search/search.ts'
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
  let candidates: Candidate[] = [{ ...NEW, number: 0, kind: 'start', round: 0, step: 'validating', hash: '' }]
  let calls = 0
  const search = (): Search => ({
    settings: {
      optimizer: 'gepa',
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
    shareLeft: 1 - calls / task.maxCalls,
  })
  for (;;) {
    const now = search()
    const step = planStep(now)
    if ('end' in step) return { search: now, prompts, end: step.end, calls }
    if ('compose' in step) {
      for (const number of step.compose) {
        const candidate = candidates.find((one) => one.number === number)
        if (candidate) prompts.set(number, composed(candidate, { prompts, candidates }))
      }
      candidates = candidates.map((one) => (step.compose.includes(one.number) ? begun(one, prompts) : one))
      continue
    }
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

type Prompts = { prompts: ReadonlyMap<number, string>; candidates: readonly Candidate[] }

/** A demonstration is shown by the name of its item. */
function composed({ parent, otherParent, demonstrations }: Candidate, { prompts, candidates }: Prompts): string {
  const [one = '', other = ''] = [prompts.get(parent ?? 0), prompts.get(otherParent ?? 0)]
  if (otherParent === null) return `${one}${demonstrations.map((item) => ` <${item}>`).join('')}`
  const ancestor = commonAncestor({ candidates }, parent ?? 0, otherParent)
  return mergeTexts(prompts.get(ancestor) ?? '', one, other)
}

function begun(candidate: Candidate, prompts: ReadonlyMap<number, string>): Candidate {
  const step = candidate.kind === 'combination' ? 'screening' : 'validating'
  return { ...candidate, step, hash: prompts.get(candidate.number) ?? '' }
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

/** As `followsRule`, but a demonstration of an item shows its rule, too; of the start, three in ten answers are right. */
export function followsRuleOrExample(seed: number) {
  return (prompt: string, itemId: string): number => {
    const luck = createHash('sha256').update(`${seed} ${itemId}`).digest().readUInt32BE(0) / 2 ** 32
    return Number(prompt.includes(`(${ruleOf(itemId)})`) || prompt.includes(`<${ruleOf(itemId)}`) || luck < 0.3)
  }
}
