import { describe, expect, it } from 'vitest'
import { addDemonstrations, canDemonstrate, demonstrationOf } from '../../src/experiments/compose/add-demonstrations.ts'
import { mergeTexts } from '../../src/experiments/compose/merge-texts.ts'
import { chooseByTpe, type Observation } from '../../src/experiments/search/choose-by-tpe.ts'
import { chooseFinalists } from '../../src/experiments/search/choose-finalists.ts'
import { planMerge } from '../../src/experiments/search/merge-pair.ts'
import { type Candidate, NEW, type Optimizer, type Search } from '../../src/experiments/search/search.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { followsRuleOrExample, itemsWithRules, proposeRule, type SimulatedEnd, simulate } from './simulated-search.ts'

const SEEDS = 20

function finalistOf({ search, prompts }: SimulatedEnd): string {
  const [number = 0] = chooseFinalists(search, { count: 1, whyNot: () => undefined, tieBreak: () => 0 })
  return prompts.get(number) ?? ''
}

function searchExamples(optimizer: Optimizer, { seed, maxCalls }: { seed: number; maxCalls: number }): SimulatedEnd {
  return simulate({
    seed,
    train: itemsWithRules('r', 36),
    validation: itemsWithRules('v', 24),
    maxCalls,
    answer: followsRuleOrExample(seed),
    propose: proposeRule,
    settings: { optimizer, patience: 10 },
  })
}

describe('the optimizers that use demonstrations', () => {
  it.each<[Optimizer, number]>([
    ['bootstrapFewShot', 0.75],
    ['miproV2', 0.75],
    ['gepaThenFewShot', 0.9],
  ])('%s finds most of what demonstrations can show, and repeats its choices', (optimizer, least) => {
    const rates = Array.from({ length: SEEDS }, (_, seed) => {
      const end = searchExamples(optimizer, { seed, maxCalls: 600 })
      expect(end.calls).toBeLessThanOrEqual(600)
      const prompt = finalistOf(end)
      const test = itemsWithRules('t', 60)
      const answer = followsRuleOrExample(seed)
      if (seed === 0) expect(finalistOf(searchExamples(optimizer, { seed, maxCalls: 600 }))).toBe(prompt)
      return test.filter((item) => answer(prompt, item) === 1).length / test.length
    })
    expect(rates.reduce((sum, rate) => sum + rate, 0) / SEEDS).toBeGreaterThanOrEqual(least)
  })

  it('show only items whose answer passed, in sets of 1, 2, 4 and 8', () => {
    const { search } = searchExamples('bootstrapFewShot', { seed: 3, maxCalls: 600 })
    const sets = search.candidates.filter(({ kind }) => kind === 'demonstrations')
    expect(new Set(sets.map(({ demonstrations }) => demonstrations.length))).toEqual(new Set([1, 2, 4, 8]))
    for (const { demonstrations } of sets)
      for (const item of demonstrations) {
        expect(search.settings.train).toContain(item)
        expect(search.valueFor(0, item)).toBe(1)
      }
    expect(new Set(sets.map(({ demonstrations }) => demonstrations.join())).size).toBe(sets.length)
  })

  it('end if no answer passed', () => {
    const { end, calls } = simulate({
      seed: 1,
      train: itemsWithRules('r', 18),
      validation: itemsWithRules('v', 12),
      maxCalls: 300,
      answer: () => 0,
      propose: proposeRule,
      settings: { optimizer: 'bootstrapFewShot' },
    })
    expect({ end, calls }).toEqual({ end: 'nothingToImprove', calls: 30 })
  })
})

describe('TPE', () => {
  it('chooses what good observations have chosen more often than uniform draws do', () => {
    const free = Array.from({ length: 49 }, (_, place) => [Math.floor(place / 7), place % 7])
    const observed: Observation[] = free
      .filter(([one = 0, other = 0]) => (one + other) % 3 === 0)
      .map((choice) => ({ choice, score: Number(choice[0] === 2) + Number(choice[1] === 5) }))
    const random = seededRandom('tpe')
    const chosen = Array.from({ length: 200 }, () => chooseByTpe(random, observed, { sizes: [7, 7], free }) ?? [])
    expect(chosen.filter(([one, other]) => one === 2 || other === 5).length).toBeGreaterThan(150)
    expect(chooseByTpe(random, observed, { sizes: [7, 7], free: [] })).toBeUndefined()
  })
})

describe('merging', () => {
  it.each([
    ['Answer.', 'Answer. Use dollars.', 'Be brief. Answer.', 'Be brief. Answer. Use dollars.'],
    ['Answer.', 'Answer.', 'Answer. Use dollars.', 'Answer. Use dollars.'],
    ['One.\nTwo.\nThree.', 'One.\n2.\nThree.', 'One.\nTwo.\nThree.\nFour.', 'One.\n2.\nThree.\nFour.'],
    // Both have changed the same sentence: both versions stay.
    ['Answer in euros.', 'Answer in dollars.', 'Answer in yen.', 'Answer in dollars. Answer in yen.'],
    ['Answer. Never guess. End.', 'Answer. End.', 'Answer. Never guess. End. 1.5 points.', 'Answer. End. 1.5 points.'],
  ])('of %j: %j and %j', (ancestor, one, other, merged) => {
    expect(mergeTexts(ancestor, one, other).trim()).toBe(merged)
  })

  const validation = ['v0', 'v1', 'v2', 'v3']
  const values: Record<number, number[]> = { 0: [0, 0, 0, 0], 1: [1, 1, 0, 0], 2: [0, 0, 1, 0], 3: [1, 0, 0, 0] }
  const candidate = (number: number, parent: number | null): Candidate => ({
    ...NEW,
    number,
    kind: parent === null ? 'start' : 'reflection',
    parent,
    round: number,
    step: 'ended',
    state: 'validated',
  })
  const searchOf = (candidates: Candidate[]): Search => ({
    settings: {
      optimizer: 'gepa',
      seed: 1,
      train: [],
      validation,
      parents: 2,
      proposals: 1,
      sampleSize: 8,
      patience: 10,
      callsPerAnswer: 1,
    },
    candidates,
    valueFor: (number, item) => values[number]?.[validation.indexOf(item)],
    proposedFor: () => undefined,
    callsLeft: 100,
    shareLeft: 1,
  })

  it('joins the two front members that together answer most, once, the better one first', () => {
    const candidates = [candidate(0, null), candidate(1, 0), candidate(2, 0), candidate(3, 1)]
    const merge = planMerge(searchOf(candidates), { number: 4, round: 4 })
    expect(merge).toMatchObject({ kind: 'merge', parent: 1, otherParent: 2, step: 'composing' })
    expect(planMerge(searchOf([...candidates, ...(merge ? [merge] : [])]), { number: 5, round: 5 })).toBeUndefined()
  })

  it('does not join a prompt with the one that it comes from', () => {
    const candidates = [candidate(0, null), candidate(1, 0), { ...candidate(2, 1), number: 2 }]
    expect(planMerge(searchOf(candidates), { number: 3, round: 3 })).toBeUndefined()
  })

  it('finds what no single lineage has, in a search in which each new rule breaks another one', () => {
    const merged = Array.from({ length: SEEDS }, (_, seed) => {
      const end = simulate({
        seed,
        train: itemsWithRules('r', 18),
        validation: itemsWithRules('v', 12),
        maxCalls: 400,
        // The last of the rules that a reflection adds hides the one before, and a merged prompt has both.
        answer: (prompt, item) => Number((prompt.match(/\((.)\)/g) ?? []).slice(-2).includes(`(${item.charAt(0)})`)),
        propose: (prompt, cases, random) =>
          `${prompt.replace(/\(.\)\.? ?$/, '')}(${cases.filter(({ value }) => value === 0)[Math.floor(nextRandom(random) * 2)]?.itemId.charAt(0)}). `,
        settings: { patience: 12 },
      })
      return end.search.candidates.filter(({ kind, state }) => kind === 'merge' && state === 'validated').length
    })
    expect(merged.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
  })
})

describe('a prompt with demonstrations', () => {
  const messages = [
    { role: 'system', content: 'Answer for {{brand}}.' },
    { role: 'user', content: 'Q: {{question}}' },
  ]
  const values = { brand: 'Halden', question: 'Where?' }

  it('shows them between its instructions and the question', () => {
    const shown = demonstrationOf(messages, { values, output: 'Here.' }) ?? []
    expect(addDemonstrations(messages, [shown])).toEqual([
      messages[0],
      { role: 'user', content: 'Q: Where?' },
      { role: 'assistant', content: 'Here.' },
      messages[1],
    ])
  })

  it('shows no item that has a variable in it, no value or no answer', () => {
    expect(demonstrationOf(messages, { values: { question: 'What is {{name}}?' }, output: 'A.' })).toBeUndefined()
    expect(demonstrationOf(messages, { values, output: 'Write {{name}}.' })).toBeUndefined()
    expect(demonstrationOf(messages, { values: {}, output: 'A.' })).toBeUndefined()
    expect(demonstrationOf(messages, { values, output: ' ' })).toBeUndefined()
  })

  it('needs a variable or a placeholder after the messages of the system', () => {
    expect(canDemonstrate(messages)).toBe(true)
    expect(canDemonstrate([messages[0] ?? { placeholder: 'a' }, { placeholder: 'history' }])).toBe(true)
    expect(canDemonstrate([{ role: 'system', content: '{{question}}' }])).toBe(false)
    expect(canDemonstrate([{ role: 'user', content: 'Say something.' }])).toBe(false)
  })
})
