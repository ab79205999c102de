import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/evaluations/evaluation-config.ts'

const baselineRunId = '01890a5d-ac96-774b-bcce-b302099a8057'

describe('the gate of a config', () => {
  const read = (gate: unknown) => readConfig(JSON.stringify({ baselineRunId, gate })).gate

  it('has all options that it names, and is neither corrected nor sequential otherwise', () => {
    expect(read({ metric: 'right' })).toEqual({ metric: 'right', corrected: false, sequential: false })
    const all = { metric: 'right', margin: 0.1, maxMissing: 0.5, corrected: true, sequential: true }
    expect(read(all)).toEqual(all)
  })

  it.each([
    // A misspelled margin would be none.
    [
      { metric: 'right', margn: 0.1 },
      'config.gate.margn is not known; a gate has metric, margin, maxMissing, corrected and sequential',
    ],
    [{ metric: 'right', maxMissing: 2 }, 'config.gate.maxMissing must be a share of the items, from 0 to 1'],
    [{ metric: 'right', maxMissing: -0.1 }, 'config.gate.maxMissing must be a share of the items, from 0 to 1'],
    [{ metric: 'right', margin: -1 }, 'config.gate.margin must be a number of at least 0'],
    [{ metric: 'right', corrected: 'yes' }, 'config.gate.corrected must be true or false'],
    [{ metric: 'right', sequential: 1 }, 'config.gate.sequential must be true or false'],
    [{ margin: 0.1 }, 'config.gate.metric must be the name of a metric'],
    [['right'], 'config.gate must be an object'],
  ])('is rejected: %j', (gate, message) => {
    expect(() => read(gate)).toThrow(message)
  })

  it('needs a run to compare with', () => {
    const text = JSON.stringify({ gate: { metric: 'right' } })
    expect(() => readConfig(text)).toThrow('config.gate needs config.baselineRunId, the run to compare with')
  })
})
