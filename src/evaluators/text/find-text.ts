import type { WorkBudget } from '../work-budget.ts'

/** Below this many steps the built-in search is fast, even in its worst case. */
const STEPS_HARMLESS = 100_000

/**
 * Whether a text contains another one, in time linear in the sum of both lengths (Knuth, Morris and Pratt 1977). The
 * built-in search may need their product: a needle of 20,000 equal letters and a different one needs minutes.
 */
export function containsWithin(budget: WorkBudget, text: string, needle: string): boolean {
  budget.spend(text.length + needle.length)
  if (needle.length > text.length) return false
  if (text.length * needle.length <= STEPS_HARMLESS) return text.includes(needle)
  budget.spend(3 * (text.length + needle.length))
  const borders = bordersOf(needle)
  let matched = 0
  for (let place = 0; place < text.length; place += 1) {
    const unit = text.charCodeAt(place)
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (needle.charCodeAt(matched) === unit) matched += 1
    if (matched === needle.length) return true
  }
  return matched === needle.length
}

/** For each prefix of the needle, the length of its longest border. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length)
  let border = 0
  for (let place = 1; place < needle.length; place += 1) {
    const unit = needle.charCodeAt(place)
    while (border > 0 && needle.charCodeAt(border) !== unit) border = borders[border - 1] ?? 0
    if (needle.charCodeAt(border) === unit) border += 1
    borders[place] = border
  }
  return borders
}
