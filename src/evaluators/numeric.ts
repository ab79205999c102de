import { Type } from 'typebox'
import { binary, defineEvaluator, pathOption, skipped } from './define-evaluator.ts'
import { readJson } from './json/json-text.ts'
import { quoted } from './text/plain-text.ts'
import { COMPARED, spendOnTexts, type WorkBudget } from './work-budget.ts'

const ROUNDING_SHARE = 1e-15

export const numeric = defineEvaluator({
  type: 'numeric',
  summary: 'The output is the expected number, within a tolerance',
  kind: 'binary',
  needs: ['output'],
  options: {
    value: Type.Optional(Type.Number({ description: 'The expected number. Default: the expected value of the item.' })),
    absolute: Type.Optional(
      Type.Number({ minimum: 0, default: 0, description: 'How far the output may be away from it. Default: 0.' }),
    ),
    relative: Type.Optional(
      Type.Number({
        minimum: 0,
        default: 0,
        description:
          'The same as a share of the expected number: 0.01 is one per cent. The larger one counts. Default: 0.',
      }),
    ),
    find: Type.Optional(
      Type.Enum(['whole', 'first', 'last'], {
        default: 'whole',
        description:
          'Whether the output is a number as a whole, or the first or the last number in it counts. Default: whole.',
      }),
    ),
    path: pathOption,
  },
  needsExpected: ({ value }) => value === undefined,
  prepare:
    ({ value, absolute = 0, relative = 0, find = 'whole' }) =>
    ({ output, expected }, budget) => {
      spendOnTexts(budget, COMPARED, output, value === undefined ? expected : null)
      const wanted = value ?? readNumber(expected ?? '', 'whole', budget)
      if (wanted === undefined) return skipped(`the expected value ${quoted(expected ?? '')} is not a number`)
      const got = readNumber(output, find, budget)
      if (got === undefined) {
        return binary(false, `${quoted(output)} ${find === 'whole' ? 'is not a number' : 'has no number in it'}`)
      }
      const tolerance = Math.max(absolute, relative * Math.abs(wanted))
      // Tolerates rounding: 1.1 − 1 is slightly more than 0.1 in floating point.
      const rounding = ROUNDING_SHARE * Math.max(Math.abs(got), Math.abs(wanted))
      const difference = Math.abs(got - wanted)
      const allowed = tolerance > 0 ? `, which is off by more than ${tolerance}` : ''
      return binary(
        difference <= tolerance + (tolerance > 0 ? rounding : 0),
        `expected ${wanted}, got ${got}${allowed}`,
      )
    },
})

const PLAIN = /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:e[+-]?\d+)?$/i
const IN_TEXT = /(?:(?<!\w)[+-])?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[+-]?\d+)?/gi

type Finding = 'whole' | 'first' | 'last'

/**
 * Returns the number that a text represents, or the first or last number in it. Accepts thousands separators (commas),
 * a typographic minus, surrounding white space and JSON quotes. Undefined if there is no finite number.
 */
function readNumber(text: string, find: Finding, budget: WorkBudget): number | undefined {
  const plain = unquoted(text.trim(), budget).trim().replaceAll('−', '-')
  if (find === 'whole') return PLAIN.test(plain) && /\d/.test(plain) ? finite(plain) : undefined
  const found = plain.match(IN_TEXT)?.at(find === 'first' ? 0 : -1)
  return found === undefined ? undefined : finite(found)
}

function unquoted(text: string, budget: WorkBudget): string {
  if (!text.startsWith('"')) return text
  const json = readJson(text, budget)
  return 'value' in json && typeof json.value === 'string' ? json.value : text
}

function finite(text: string): number | undefined {
  const number = Number(text.replaceAll(',', ''))
  return Number.isFinite(number) ? number : undefined
}
