import { describe, expect, it } from 'vitest'
import { chooseVersion } from '../../src/prompts/choose-version.ts'
import { renderMessages } from '../../src/prompts/template.ts'
import { VECTORS } from './prompt-vectors.ts'

describe('a template', () => {
  it.each(VECTORS.render.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const { messages, values, result, error } = vector
    if (error === undefined) expect(renderMessages(messages, values)).toEqual(result)
    else expect(() => renderMessages(messages, values)).toThrow(error)
  })
})

describe('a split', () => {
  it.each(VECTORS.split.map((vector, place) => [place, vector] as const))(
    'gives each key the version of the vectors (%i)',
    (_place, { versions, ...label }) => {
      for (const [key, version] of Object.entries(versions)) expect(chooseVersion(label, key)).toBe(version)
    },
  )

  const KEYS = Array.from({ length: 100_000 }, (_, place) => `user-${place}`)
  const label = (weights: [version: number, weight: number][]) => ({
    promptId: '01890a5d-ac96-774b-bcce-b302099a8057',
    seed: 2,
    splits: weights.map(([version, weight]) => ({ version, weight })),
  })

  it('of 90 and 10 gives 100,000 keys their versions within 89.7 and 90.3 percent', () => {
    const split = label([
      [11, 90],
      [12, 10],
    ])
    const share = KEYS.filter((key) => chooseVersion(split, key) === 11).length / KEYS.length
    expect(share).toBeGreaterThan(0.897)
    expect(share).toBeLessThan(0.903)
  })

  it('moves only the keys that it must when a share is raised', () => {
    const before = label([
      [11, 90],
      [12, 10],
    ])
    const after = label([
      [11, 75],
      [12, 25],
    ])
    let moved = 0
    for (const key of KEYS.slice(0, 20_000)) {
      const [old, now] = [chooseVersion(before, key), chooseVersion(after, key)]
      if (old === 12) expect(now).toBe(12)
      if (old !== now) moved += 1
    }
    expect(moved / 20_000).toBeCloseTo(0.15, 1)
  })
})
