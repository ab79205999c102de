import { countOf, matchingSize, takeOne } from '../match-lists.ts'
import { quoted } from '../text/plain-text.ts'
import { COMPARED, spendOnTexts, type WorkBudget } from '../work-budget.ts'

type JsonLeniency = {
  /** Array entries may have any order. */
  ignoreOrder?: boolean | undefined
  /** The value may have additional keys and, if order does not matter, additional entries. */
  subset?: boolean | undefined
}

type Comparing = JsonLeniency & { budget: WorkBudget }

/** The cost of a value in addition to its text. */
const UNITS_PER_VALUE = 40
const UNITS_PER_WRITTEN_VALUE = 120
const SHOWN_MAX = 200

/** The message is built only if it is shown: most callers only need to know that two values differ. */
type Difference = { steps: string[]; message(path: string): string }

/**
 * Returns where two values first differ and how, as a message; undefined if they are equal. Neither may be deeper than
 * `readJson` allows.
 */
export function findDifference(expected: unknown, got: unknown, comparing: Comparing, root = '$'): string | undefined {
  const difference = differenceOf(expected, got, comparing)
  return difference?.message(root + difference.steps.reverse().join(''))
}

export function isSameJson(expected: unknown, got: unknown, comparing: Comparing): boolean {
  return differenceOf(expected, got, comparing) === undefined
}

function differenceOf(expected: unknown, got: unknown, comparing: Comparing): Difference | undefined {
  comparing.budget.spend(UNITS_PER_VALUE)
  if (Array.isArray(expected) && Array.isArray(got)) return differenceOfArrays(expected, got, comparing)
  if (isObject(expected) && isObject(got)) return differenceOfObjects(expected, got, comparing)
  if (expected === got || areSameTexts(expected, got, comparing)) return undefined
  return different((path) => `${path}: expected ${shown(expected)}, got ${shown(got)}`)
}

function different(message: Difference['message']): Difference {
  return { steps: [], message }
}

function below(difference: Difference | undefined, step: () => string): Difference | undefined {
  difference?.steps.push(step())
  return difference
}

function areSameTexts(a: unknown, b: unknown, { budget }: Comparing): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false
  spendOnTexts(budget, COMPARED, a, b)
  return a.normalize('NFC') === b.normalize('NFC')
}

function differenceOfObjects(
  expected: Record<string, unknown>,
  got: Record<string, unknown>,
  comparing: Comparing,
): Difference | undefined {
  for (const key of Object.keys(expected)) {
    if (!Object.hasOwn(got, key)) return different((path) => `${path}${keyStep(key)} is missing`)
    const difference = below(differenceOf(expected[key], got[key], comparing), () => keyStep(key))
    if (difference) return difference
  }
  if (comparing.subset) return undefined
  const keys = Object.keys(got)
  comparing.budget.spend(keys.length * UNITS_PER_VALUE)
  const surplus = keys.find((key) => !Object.hasOwn(expected, key))
  return surplus === undefined ? undefined : different((path) => `${path}${keyStep(surplus)} is not expected`)
}

function differenceOfArrays(
  expected: readonly unknown[],
  got: readonly unknown[],
  comparing: Comparing,
): Difference | undefined {
  if (comparing.ignoreOrder) return differenceOfBags(expected, got, comparing)
  const end = Math.min(expected.length, got.length)
  for (let place = 0; place < end; place += 1) {
    const difference = below(differenceOf(expected[place], got[place], comparing), () => `[${place}]`)
    if (difference) return difference
  }
  return differenceOfLengths(expected, got)
}

function differenceOfLengths(expected: readonly unknown[], got: readonly unknown[]): Difference | undefined {
  if (expected.length === got.length) return undefined
  return different((path) => `${path}: expected ${expected.length} entries, got ${got.length}`)
}

function differenceOfBags(
  expected: readonly unknown[],
  got: readonly unknown[],
  comparing: Comparing,
): Difference | undefined {
  const gotTexts = got.map((entry) => canonicalText(entry, comparing))
  const rest = countOf(gotTexts)
  const lacking = expected.filter((entry) => !takeOne(rest, canonicalText(entry, comparing)))
  if (!comparing.subset) {
    if (lacking.length > 0) return different((path) => `${path}: no entry is ${shown(lacking[0])}`)
    return differenceOfLengths(expected, got)
  }
  // An expected entry takes an equal entry first. This is safe: any other entry that fits it also fits every expected
  // entry that the equal one fits. The others need a maximum matching, because one entry may fit several, and taking the
  // first could leave nothing for the next.
  const left = got.filter((_, place) => takeOne(rest, gotTexts[place] ?? ''))
  const matched = matchingSize(
    {
      left: lacking.length,
      right: left.length,
      fits: (place, other) => isSameJson(lacking[place], left[other], comparing),
    },
    comparing.budget,
  )
  if (matched === lacking.length) return undefined
  const there = expected.length - lacking.length + matched
  return different((path) => `${path}: only ${there} of ${expected.length} expected entries are there`)
}

/**
 * Returns a text that is the same for equal values, regardless of the order of keys and, with `ignoreOrder`, of
 * entries.
 */
export function canonicalText(value: unknown, { ignoreOrder = false, budget }: Comparing): string {
  const write = (entry: unknown): string => {
    budget.spend(UNITS_PER_WRITTEN_VALUE)
    if (Array.isArray(entry)) {
      const entries = entry.map(write)
      return joined('[', ignoreOrder ? entries.sort() : entries, ']')
    }
    if (isObject(entry)) {
      const keys = Object.keys(entry).sort()
      return joined(
        '{',
        keys.map((key) => `${JSON.stringify(key)}:${write(entry[key])}`),
        '}',
      )
    }
    if (typeof entry !== 'string') return JSON.stringify(entry) ?? 'null'
    spendOnTexts(budget, COMPARED, entry)
    return JSON.stringify(entry.normalize('NFC'))
  }
  // A text is written again at every enclosing level.
  const joined = (start: string, texts: readonly string[], end: string) => {
    const text = start + texts.join() + end
    budget.spend(text.length * 2)
    return text
  }
  return write(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Appends a key to a path. */
export function keyStep(key: string): string {
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(key) && key.length <= 100
    ? `.${key}`
    : `[${JSON.stringify(key.slice(0, 100))}]`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : beginningOf(value, SHOWN_MAX)
}

/** The start of a value's JSON, without serializing the rest. */
function beginningOf(value: unknown, charactersMax: number): string {
  let text = ''
  const write = (entry: unknown): void => {
    if (text.length > charactersMax) return
    if (Array.isArray(entry)) {
      text += '['
      for (const [place, inner] of entry.entries()) {
        if (text.length > charactersMax) return
        if (place > 0) text += ','
        write(inner)
      }
      text += ']'
    } else if (isObject(entry)) {
      text += '{'
      let isFirst = true
      for (const key in entry) {
        if (text.length > charactersMax) return
        text += `${isFirst ? '' : ','}${JSON.stringify(key.slice(0, charactersMax))}:`
        isFirst = false
        write(entry[key])
      }
      text += '}'
    } else text += JSON.stringify(typeof entry === 'string' ? entry.slice(0, charactersMax) : entry)
  }
  write(value)
  return text.slice(0, charactersMax)
}
