import { countOf, takeOne } from './bags.ts'
import { matchingSize } from './bipartite-matching.ts'
import { quoted } from './plain-text.ts'
import type { WorkBudget } from './work-budget.ts'

type JsonLeniency = {
  /** Entries of arrays may come in any order. */
  ignoreOrder?: boolean | undefined
  /** The value may have more keys than expected and, where their order does not matter, more entries. */
  subset?: boolean | undefined
}

type Comparing = JsonLeniency & { budget: WorkBudget }

/** Where two values first differ and how, as a sentence; undefined where they do not. Neither may be deeper than `readJson` lets through. */
export function findDifference(expected: unknown, got: unknown, comparing: Comparing, path = '$'): string | undefined {
  comparing.budget.spend(1)
  if (Array.isArray(expected) && Array.isArray(got)) return differenceOfArrays(expected, got, comparing, path)
  if (isObject(expected) && isObject(got)) return differenceOfObjects(expected, got, comparing, path)
  if (expected === got || (typeof expected === 'string' && typeof got === 'string' && areSame(expected, got))) return
  return `${path}: expected ${shown(expected)}, got ${shown(got)}`
}

function differenceOfObjects(
  expected: Record<string, unknown>,
  got: Record<string, unknown>,
  comparing: Comparing,
  path: string,
): string | undefined {
  for (const [key, entry] of Object.entries(expected)) {
    const below = `${path}${keyStep(key)}`
    if (!Object.hasOwn(got, key)) return `${below} is missing`
    const difference = findDifference(entry, got[key], comparing, below)
    if (difference !== undefined) return difference
  }
  if (comparing.subset) return undefined
  const surplus = Object.keys(got).find((key) => !Object.hasOwn(expected, key))
  return surplus === undefined ? undefined : `${path}${keyStep(surplus)} is not expected`
}

function differenceOfArrays(
  expected: readonly unknown[],
  got: readonly unknown[],
  comparing: Comparing,
  path: string,
): string | undefined {
  if (comparing.ignoreOrder) return differenceOfBags(expected, got, comparing, path)
  const end = Math.min(expected.length, got.length)
  for (let place = 0; place < end; place += 1) {
    const difference = findDifference(expected[place], got[place], comparing, `${path}[${place}]`)
    if (difference !== undefined) return difference
  }
  return differenceOfLengths(expected, got, path)
}

function differenceOfLengths(expected: readonly unknown[], got: readonly unknown[], path: string): string | undefined {
  if (expected.length === got.length) return undefined
  return `${path}: expected ${expected.length} entries, got ${got.length}`
}

function differenceOfBags(
  expected: readonly unknown[],
  got: readonly unknown[],
  comparing: Comparing,
  path: string,
): string | undefined {
  if (!comparing.subset) {
    const rest = countOf(got.map((entry) => canonicalText(entry, comparing)))
    const lacking = expected.find((entry) => !takeOne(rest, canonicalText(entry, comparing)))
    if (lacking !== undefined) return `${path}: no entry is ${shown(lacking)}`
    return differenceOfLengths(expected, got, path)
  }
  // One entry may fit several expected ones, so that taking the first that fits could leave nothing for the next.
  const fits = (place: number, other: number) => findDifference(expected[place], got[other], comparing) === undefined
  const matched = matchingSize(expected.length, got.length, fits)
  if (matched === expected.length) return undefined
  return `${path}: only ${matched} of ${expected.length} expected entries are there`
}

/** A text that is the same for equal values, whatever the order of their keys; with `ignoreOrder` of entries, too. */
export function canonicalText(value: unknown, { ignoreOrder = false, budget }: Comparing): string {
  const write = (entry: unknown): string => {
    budget.spend(1)
    if (Array.isArray(entry)) {
      const entries = entry.map(write)
      return `[${(ignoreOrder ? entries.sort() : entries).join()}]`
    }
    if (isObject(entry)) {
      const keys = Object.keys(entry).sort()
      return `{${keys.map((key) => `${JSON.stringify(key)}:${write(entry[key])}`).join()}}`
    }
    return JSON.stringify(typeof entry === 'string' ? entry.normalize('NFC') : entry) ?? 'null'
  }
  return write(value)
}

function areSame(a: string, b: string): boolean {
  return a.normalize('NFC') === b.normalize('NFC')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How a path goes on into an object. */
export function keyStep(key: string): string {
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(key) && key.length <= 100
    ? `.${key}`
    : `[${JSON.stringify(key.slice(0, 100))}]`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value).slice(0, 200)
}
