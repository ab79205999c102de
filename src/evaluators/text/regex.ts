import { Type } from 'typebox'
import { binary, defineEvaluator, flagOption, ignoreCaseOption, pathOption, skipped } from '../define-evaluator.ts'
import { ConfigError } from '../evaluator.ts'
import { COMPARED, spendOnTexts, WORK_MAX } from '../work-budget.ts'
import { type LinearPattern, linearPattern, type PatternFlags } from './linear-pattern.ts'
import { plain, quoted } from './plain-text.ts'

/** A pattern of classes such as `\p{L}` needs about 20 µs per character to compile. */
const QUICK_PATTERN_LENGTH_MAX = 200

/** Work units per character and instruction of the pattern: about 20 ns at worst. */
const STEP_UNITS = 8

export const regex = defineEvaluator({
  type: 'regex',
  summary: 'The output matches a regular expression, which is matched in linear time',
  kind: 'binary',
  needs: ['output'],
  options: {
    pattern: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'A regular expression without look-around and back-references.',
    }),
    fullMatch: flagOption('Whether it must match the whole output.'),
    ignoreCase: ignoreCaseOption,
    multiline: flagOption('Whether ^ and $ match at every line.'),
    dotAll: flagOption('Whether . matches the end of a line, too.'),
    not: flagOption('Whether the output must not match it instead.'),
    path: pathOption,
  },
  isSlowToCompile: ({ pattern }) => pattern.length > QUICK_PATTERN_LENGTH_MAX,
  prepare({ pattern, fullMatch = false, not = false, ...flags }, key) {
    const compiled = compile(pattern, flags, `${key}.pattern`)
    return ({ output }, budget) => {
      spendOnTexts(budget, COMPARED, output)
      const text = plain(output)
      if (text.length * compiled.size * STEP_UNITS > WORK_MAX) {
        return skipped(`the output is too long for this pattern (${text.length} characters)`)
      }
      budget.spend(text.length * compiled.size * STEP_UNITS)
      const isMatch = fullMatch ? compiled.testWhole(text) : compiled.test(text)
      return binary(isMatch !== not, `${quoted(text)} ${not ? 'matches' : 'does not match'} ${pattern}`)
    }
  },
})

function compile(pattern: string, flags: PatternFlags, key: string): LinearPattern {
  try {
    return linearPattern(plain(pattern), flags)
  } catch (error) {
    throw new ConfigError(`${key} ${error instanceof Error ? error.message : 'cannot be used'}`, { cause: error })
  }
}
