import { Type } from 'typebox'
import { binary, defineEvaluator, pathOption } from '../define-evaluator.ts'
import { ConfigError } from '../evaluator.ts'
import { IN_WORDS, spendOnTexts } from '../work-budget.ts'
import { plain } from './plain-text.ts'

const UNITS = ['Characters', 'Words'] as const

export const length = defineEvaluator({
  type: 'length',
  summary: 'The output is neither too short nor too long, in characters or words',
  kind: 'binary',
  needs: ['output'],
  options: {
    minCharacters: limit(
      'The minimum number of characters, not bytes: 👍 is one, and an emoji that is composed of several counts as several. Default: none.',
    ),
    maxCharacters: limit('The maximum number of characters. Default: none.'),
    minWords: limit('The minimum number of words, which are separated by white space. Default: none.'),
    maxWords: limit('The maximum number of words. Default: none.'),
    path: pathOption,
  },
  prepare(options, key) {
    if (UNITS.every((unit) => options[`min${unit}`] === undefined && options[`max${unit}`] === undefined)) {
      throw new ConfigError(`${key} needs at least one of minCharacters, maxCharacters, minWords and maxWords`)
    }
    for (const unit of UNITS) {
      const { [`min${unit}` as const]: min = 0, [`max${unit}` as const]: max = Number.POSITIVE_INFINITY } = options
      if (min > max) throw new ConfigError(`${key}.min${unit} must not be greater than max${unit}`)
    }
    return ({ output }, budget) => {
      spendOnTexts(budget, IN_WORDS, output)
      const text = plain(output)
      const counts = { Characters: charactersIn(text), Words: text.match(/\S+/g)?.length ?? 0 }
      const problem = UNITS.map((unit) => {
        const { [`min${unit}` as const]: min = 0, [`max${unit}` as const]: max = Number.POSITIVE_INFINITY } = options
        const said = `the output has ${counts[unit]} ${unit.toLowerCase()}`
        if (counts[unit] < min) return `${said}, at least ${min} are needed`
        return counts[unit] > max ? `${said}, at most ${max} are allowed` : undefined
      }).find((message) => message !== undefined)
      return binary(problem === undefined, problem, { characters: counts.Characters, words: counts.Words })
    }
  },
})

function limit(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, description }))
}

/** Counts code points without creating a list. */
function charactersIn(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0)
}
