import { describe, expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import {
  changedEvaluator,
  evaluatorOptions,
  MODEL_TYPES,
  measuredAs,
  readStoredConfig,
  warningAbout,
} from '../../src/scores/stored-config.ts'

const optionsOf = (config: string) => evaluatorOptions(readStoredConfig(config))

describe('two evaluators of one name', () => {
  it('are not compared if an option differs, also if one evaluation does not set it', () => {
    const usual = optionsOf('{}')
    const caseless = optionsOf('{"evaluators":[{"type":"exactMatch","ignoreCase":true}]}')
    expect(changedEvaluator('exactMatch', usual, caseless)).toBe('the two evaluations configure ignoreCase differently')
    expect(changedEvaluator('exactMatch', usual, usual)).toBeUndefined()
    const unset = optionsOf('{"evaluators":[{"type":"exactMatch","ignoreCase":false}]}')
    expect(changedEvaluator('exactMatch', usual, unset)).toBeUndefined()
  })

  it('are not compared if they use models of different providers', () => {
    const asked = (provider: string) => {
      const evaluators = [
        { type: 'llmJudge', name: 'good' },
        { type: 'contains', name: 'word' },
      ]
      return optionsOf(JSON.stringify({ provider, evaluators }))
    }
    expect(changedEvaluator('good', asked('one'), asked('other'))).toContain('configure provider differently')
    expect(changedEvaluator('word', asked('one'), asked('other'))).toBeUndefined()
    const models = EVALUATOR_DEFINITIONS.filter(({ needs }) => needs.includes('model')).map(({ type }) => type)
    expect([...MODEL_TYPES].sort()).toEqual(models.sort())
  })

  it('says that macro F1 is compared by the share of correct labels', () => {
    const f1 = optionsOf('{"evaluators":[{"type":"f1"}]}')
    expect(warningAbout('f1', f1, f1)).toBe(
      'f1 is compared by the share of correct labels; the macro F1 of each run is in its evaluation.',
    )
    expect(measuredAs('f1', f1, f1)).toBe('share of correct labels, not F1')
    expect(measuredAs('exactMatch', f1, f1)).toBeNull()
  })
})
