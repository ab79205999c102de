import { Type } from 'typebox'
import {
  binary,
  defineEvaluator,
  flagOption,
  graded,
  ignoreCaseOption,
  pathOption,
  skipped,
} from '../define-evaluator.ts'
import { COMPARED, spendOnTexts, type WorkBudget } from '../work-budget.ts'
import { comparable, quoted } from './plain-text.ts'

export const contains = defineEvaluator({
  type: 'contains',
  summary: 'The output contains a text: a given one, or the expected value of the item',
  kind: 'binary',
  needs: ['output'],
  options: {
    value: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 20_000,
        description: 'The text to look for. Default: the expected value.',
      }),
    ),
    ignoreCase: ignoreCaseOption,
    not: flagOption('Whether the output must not contain it instead.'),
    path: pathOption,
  },
  needsExpected: ({ value }) => value === undefined,
  prepare:
    ({ value, ignoreCase, not = false }) =>
    ({ output, expected }, budget) => {
      const wanted = value ?? expected ?? ''
      if (wanted === '') return skipped('the expected value is empty, and every text contains that')
      spendOnTexts(budget, COMPARED, output, wanted)
      const isThere = containsWithin(budget, comparable(output, { ignoreCase }), comparable(wanted, { ignoreCase }))
      return binary(isThere !== not, `${quoted(wanted)} is ${not ? '' : 'not '}in the output`)
    },
})

export const containsAny = defineEvaluator({
  type: 'containsAny',
  summary: 'The output contains at least one of several texts',
  kind: 'binary',
  needs: ['output'],
  options: {
    values: textsOption('What to look for; one of them is enough.'),
    ignoreCase: ignoreCaseOption,
    not: flagOption('Whether the output must contain none of them.'),
    path: pathOption,
  },
  prepare({ values, ignoreCase, not = false }) {
    const wanted = values.map((value) => ({ value, form: comparable(value, { ignoreCase }) }))
    return ({ output }, budget) => {
      spendOnTexts(budget, COMPARED, output)
      const text = comparable(output, { ignoreCase })
      const found = wanted.find(({ form }) => containsWithin(budget, text, form))
      if (not) return binary(found === undefined, found && `${quoted(found.value)} is in the output`)
      return binary(found !== undefined, `none of the ${values.length} texts is in the output`)
    }
  },
})

export const containsAll = defineEvaluator({
  type: 'containsAll',
  summary: 'The share of several texts that the output contains; it passes with all of them',
  kind: 'numeric',
  needs: ['output'],
  options: {
    values: textsOption('What to look for.'),
    ignoreCase: ignoreCaseOption,
    path: pathOption,
  },
  prepare({ values, ignoreCase }) {
    const wanted = values.map((value) => ({ value, form: comparable(value, { ignoreCase }) }))
    return ({ output }, budget) => {
      spendOnTexts(budget, COMPARED, output)
      const text = comparable(output, { ignoreCase })
      const missing = wanted.filter(({ form }) => !containsWithin(budget, text, form))
      const [first] = missing
      const others = missing.length > 1 ? ` and ${missing.length - 1} more` : ''
      const reason = first && `the output lacks ${quoted(first.value)}${others}`
      return graded((values.length - missing.length) / values.length, 1, reason)
    }
  },
})

function textsOption(description: string) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 20_000 }), { minItems: 1, maxItems: 1_000, description })
}

/** Below this many steps the built-in search is fast, even in its worst case. */
const STEPS_HARMLESS = 100_000

/**
 * Whether a text contains another one, in time linear in the sum of both lengths (Knuth, Morris and Pratt 1977). The
 * built-in search may need their product: a needle of 20,000 equal letters and a different one needs minutes.
 */
function containsWithin(budget: WorkBudget, text: string, needle: string): boolean {
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
