import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { diffVersions } from '../../src/prompts/diff-versions.ts'
import { createWordDiff, type Hunk } from '../../src/prompts/diff-words.ts'
import { runs } from '../harness/stage.ts'

const diff = (before: string, after: string) => finish(createWordDiff()(before, after)).result

function finish<Result>(work: Generator<void, Result>): { result: Result; pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const step = work.next()
    if (step.done) return { result: step.value, pauses }
  }
}

function sideOf(hunks: readonly Hunk[], change: 'removed' | 'added'): string {
  return hunks
    .filter((hunk) => hunk.change === 'same' || hunk.change === change)
    .map(({ text }) => text)
    .join('')
}

describe('the difference of two texts', () => {
  it('is made of words, with the rest as it was', () => {
    expect(diff('One line.\nIt ships today, maybe.\n', 'One line.\nIt ships tomorrow, maybe.\n')).toEqual([
      { change: 'same', text: 'One line.\nIt ships ' },
      { change: 'removed', text: 'today' },
      { change: 'added', text: 'tomorrow' },
      { change: 'same', text: ', maybe.\n' },
    ])
    expect(diff('', '')).toEqual([])
    expect(diff('', 'a')).toEqual([{ change: 'added', text: 'a' }])
    expect(diff('a', '')).toEqual([{ change: 'removed', text: 'a' }])
  })

  it('marks no more words than must change', () => {
    const hunks = diff('a b c a b b a', 'c b a b a c')
    const kept = hunks.filter(({ change }) => change === 'same').map(({ text }) => text)
    // Myers' example: four letters in common, and the spaces between them.
    expect(kept.join('').replaceAll(' ', '')).toHaveLength(4)
  })

  it('has both texts in it, character by character', { tags: 'sized' }, () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', ' ', '\n', 'word', 'ä🙂', '.', '{{x}}'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = diff(before, after)
        expect(sideOf(hunks, 'removed')).toBe(before)
        expect(sideOf(hunks, 'added')).toBe(after)
      }),
      { numRuns: runs(1_000) },
    )
  })

  it.each([
    ['with changes in every tenth line', (place: number) => (place % 10 === 0 ? `changed ${place}` : `line ${place}`)],
    ['that have no line in common', (place: number) => `other ${place} text`],
    ['with the same words in another order', (place: number) => `line ${(place * 7_919) % 16_000}`],
  ])('of 256 KiB %s needs little work, in slices, and loses nothing', (_name, changed) => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
    const textOf = (line: (place: number) => string) =>
      Array.from({ length: 16_000 }, (_, place) => `${line(place)} `.padEnd(15)).join('\n')
    const contentOf = (text: string) => ({
      messages: [{ role: 'user', content: text }],
      provider: null,
      model: null,
      parameters: {},
      tools: [],
      responseFormat: null,
    })
    const [before, after] = [textOf((place) => `line ${place}`), textOf(changed)]
    const { result, pauses } = finish(diffVersions(contentOf(before), contentOf(after)))
    vi.restoreAllMocks()
    expect(pauses).toBeGreaterThanOrEqual(3)
    const { messages } = result
    expect(sideOf(messages[0]?.hunks ?? [], 'removed')).toBe(before)
    expect(sideOf(messages[0]?.hunks ?? [], 'added')).toBe(after)
  })
})
