/** An entry of the left list next to the one of the right list that it belongs to. One of them is undefined if the other list has none. */
export interface Pair<Entry> {
  left: Entry | undefined
  right: Entry | undefined
}

/** Up to so many pairs of entries are compared at once; longer lists are aligned in windows of this many entries. */
const CELLS_MAX = 2_000_000
const WINDOW = 512

/**
 * Aligns two lists: every entry of both is in exactly one pair, and both lists keep their order. Entries with equal text by the first
 * function are paired; those in the gaps between them by the next function, and so on. An undefined text is equal to none.
 */
export function alignBy<Entry>(
  left: readonly Entry[],
  right: readonly Entry[],
  keys: readonly ((entry: Entry) => string | undefined)[],
): Pair<Entry>[] {
  const [keyOf, ...rest] = keys
  if (!keyOf || left.length === 0 || right.length === 0) {
    return [
      ...left.map((entry) => ({ left: entry, right: undefined })),
      ...right.map((entry) => ({ left: undefined, right: entry })),
    ]
  }
  const pairs: Pair<Entry>[] = []
  let [leftEnd, rightEnd] = [0, 0]
  const matches = matchSequences(left.map(keyOf), right.map(keyOf))
  for (const [leftAt, rightAt] of [...matches, [left.length, right.length] as const]) {
    const [leftGap, rightGap] = [left.slice(leftEnd, leftAt), right.slice(rightEnd, rightAt)]
    for (const pair of alignBy(leftGap, rightGap, rest)) pairs.push(pair)
    if (leftAt < left.length) pairs.push({ left: left[leftAt], right: right[rightAt] })
    leftEnd = leftAt + 1
    rightEnd = rightAt + 1
  }
  return pairs
}

type Text = string | undefined
type Match = readonly [leftAt: number, rightAt: number]

/**
 * The positions of equal texts, in the order of both lists, as many as possible: a longest common subsequence. Lists that are too long
 * for that are aligned window by window, so that the time grows with their length and not with its square.
 */
export function matchSequences(left: readonly Text[], right: readonly Text[]): Match[] {
  const numbers = new Map<Text, number>()
  const [lefts, rights] = [left, right].map((texts, side) =>
    texts.map((text) => {
      // Equal to none, also of the other side.
      if (text === undefined) return side === 0 ? -1 : -2
      const number = numbers.get(text) ?? numbers.size
      numbers.set(text, number)
      return number
    }),
  ) as [number[], number[]]
  const matches: Match[] = []
  const shorter = Math.min(lefts.length, rights.length)
  let start = 0
  while (start < shorter && lefts[start] === rights[start]) {
    matches.push([start, start])
    start += 1
  }
  let same = 0
  while (same < shorter - start && lefts.at(-1 - same) === rights.at(-1 - same)) same += 1
  const ends = { left: lefts.length - same, right: rights.length - same }
  for (const match of matchMiddles(lefts, rights, { left: start, right: start }, ends)) matches.push(match)
  for (let at = 0; at < same; at += 1) matches.push([ends.left + at, ends.right + at])
  return matches
}

interface Position {
  left: number
  right: number
}

function matchMiddles(left: number[], right: number[], start: Position, end: Position): Match[] {
  const matches: Match[] = []
  let from = start
  while (from.left < end.left && from.right < end.right) {
    const isLast = (end.left - from.left) * (end.right - from.right) <= CELLS_MAX
    const to = isLast
      ? end
      : { left: Math.min(end.left, from.left + WINDOW), right: Math.min(end.right, from.right + WINDOW) }
    const found = matchWindow(left.slice(from.left, to.left), right.slice(from.right, to.right), from)
    // The second half of a window may match better with what comes after it: it begins the next window.
    const half = { left: from.left + WINDOW / 2, right: from.right + WINDOW / 2 }
    const next = isLast ? undefined : found.find(([leftAt, rightAt]) => leftAt >= half.left || rightAt >= half.right)
    for (const match of next ? found.slice(0, found.indexOf(next)) : found) matches.push(match)
    from = next ? { left: next[0], right: next[1] } : to
  }
  return matches
}

/** By a table of the number of matches that the rests of both lists have in common. */
function matchWindow(left: number[], right: number[], offset: Position): Match[] {
  const width = right.length + 1
  const table = new Uint16Array((left.length + 1) * width)
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const at = row * width + column
      table[at] =
        left[row] === right[column]
          ? 1 + (table[at + width + 1] ?? 0)
          : Math.max(table[at + width] ?? 0, table[at + 1] ?? 0)
    }
  }
  const matches: Match[] = []
  let [row, column] = [0, 0]
  while (row < left.length && column < right.length) {
    const at = row * width + column
    if (left[row] === right[column]) {
      matches.push([offset.left + row, offset.right + column])
      row += 1
      column += 1
    } else if ((table[at + width] ?? 0) >= (table[at + 1] ?? 0)) row += 1
    else column += 1
  }
  return matches
}
