/**
 * The words that differ between two texts. First lines are compared, then the words of lines that differ. The work is bounded: parts that
 * are too different are shown as removed and added as a whole. It runs in slices, so that others are served meanwhile.
 */
import { slicesOf } from '../base/event-loop.ts'

export type Hunk = { change: 'same' | 'removed' | 'added'; text: string }

/** Of all steps of one comparison: some 20 ms. */
const STEPS_MAX = 2_000_000
/** Of one part, so that a part that is too different leaves steps for the others. */
const STEPS_PER_PART_MAX = 400_000
const EDITS_MAX = 1_000
const SLICE_MS = 5

const LINES = /[^\n]*\n|[^\n]+/g
const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu

export function createWordDiff(): (before: string, after: string) => Generator<void, Hunk[]> {
  const budget = { stepsLeft: STEPS_MAX }
  const pause = slicesOf(SLICE_MS)
  return function* diffTexts(before, after) {
    const hunks: Hunk[] = []
    for (const lines of diffTokens(tokensOf(before, LINES), tokensOf(after, LINES), budget)) {
      yield* pause()
      if (lines.before === lines.after) {
        push(hunks, 'same', lines.before)
        continue
      }
      const old = tokensOf(lines.before, WORDS)
      yield* pause()
      const now = tokensOf(lines.after, WORDS)
      yield* pause()
      for (const words of diffTokens(old, now, budget)) pushChange(hunks, words)
    }
    return hunks
  }
}

type Budget = { stepsLeft: number }
/** Equal, or what replaces what. */
type Change = { before: string; after: string }

function tokensOf(text: string, pattern: RegExp): string[] {
  return text.match(pattern) ?? []
}

function pushChange(hunks: Hunk[], { before, after }: Change): void {
  if (before === after) push(hunks, 'same', before)
  else {
    push(hunks, 'removed', before)
    push(hunks, 'added', after)
  }
}

function push(hunks: Hunk[], change: Hunk['change'], text: string): void {
  if (text === '') return
  const last = hunks.at(-1)
  if (last?.change === change) last.text += text
  else hunks.push({ change, text })
}

/** Equal and changed parts by turns. */
function diffTokens(before: string[], after: string[], budget: Budget): Change[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let [endBefore, endAfter] = [before.length, after.length]
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore -= 1
    endAfter -= 1
  }
  const same = (tokens: string[]) => ({ before: tokens.join(''), after: tokens.join('') })
  return [
    same(before.slice(0, start)),
    ...diffMiddle(before.slice(start, endBefore), after.slice(start, endAfter), budget),
    same(before.slice(endBefore)),
  ]
}

function diffMiddle(before: string[], after: string[], budget: Budget): Change[] {
  const whole = [{ before: before.join(''), after: after.join('') }]
  if (before.length === 0 || after.length === 0) return whole
  const pairs = equalPairs(before, after, budget)
  if (!pairs) return whole
  const changes: Change[] = []
  let [x, y] = [0, 0]
  for (const [nextX, nextY] of [...pairs, [before.length, after.length] as const]) {
    changes.push({ before: before.slice(x, nextX).join(''), after: after.slice(y, nextY).join('') })
    const token = before[nextX] ?? ''
    changes.push({ before: token, after: token })
    x = nextX + 1
    y = nextY + 1
  }
  return changes
}

/** The tokens of a longest common subsequence by Myers' algorithm (1986); undefined if that needs too many edits or steps. */
function equalPairs(before: string[], after: string[], budget: Budget): [number, number][] | undefined {
  const stepsMax = Math.min(STEPS_PER_PART_MAX, budget.stepsLeft)
  const editsMax = Math.min(EDITS_MAX, before.length + after.length)
  /** For each number of edits, how far each diagonal reaches. */
  const reached: Int32Array[] = []
  const frontier = new Int32Array(2 * editsMax + 3)
  let steps = 0
  const center = editsMax + 1
  for (let edits = 0; edits <= editsMax && steps <= stepsMax; edits += 1) {
    reached.push(frontier.slice(center - edits - 1, center + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = center + diagonal
      const isDown =
        diagonal === -edits || (diagonal !== edits && valueAt(frontier, at - 1) < valueAt(frontier, at + 1))
      let x = isDown ? valueAt(frontier, at + 1) : valueAt(frontier, at - 1) + 1
      steps += 1
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) {
        x += 1
        steps += 1
      }
      frontier[at] = x
      if (x >= before.length && x - diagonal >= after.length) {
        budget.stepsLeft -= steps
        return walkBack(reached, before.length, after.length)
      }
    }
  }
  budget.stepsLeft -= steps
  return undefined
}

function walkBack(reached: Int32Array[], lengthBefore: number, lengthAfter: number): [number, number][] {
  const pairs: [number, number][] = []
  let [x, y] = [lengthBefore, lengthAfter]
  for (let edits = reached.length - 1; edits >= 0; edits -= 1) {
    const frontier = reached[edits] ?? new Int32Array(0)
    const at = (diagonal: number) => valueAt(frontier, diagonal + edits + 1)
    const diagonal = x - y
    const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1))
    const from = isDown ? diagonal + 1 : diagonal - 1
    const startX = edits === 0 ? 0 : at(from)
    const startY = edits === 0 ? 0 : startX - from
    while (x > startX && y > startY) {
      x -= 1
      y -= 1
      pairs.push([x, y])
    }
    x = startX
    y = startY
  }
  return pairs.reverse()
}

function valueAt(values: Int32Array, place: number): number {
  return values[place] ?? 0
}
