import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJudge, startJudging } from './judging.ts'

describe('embeddingSimilarity', () => {
  it('is 1 for the same direction, 0 for a right angle, and −1 for the opposite', async () => {
    const vectors: Record<string, number[]> = { east: [1, 0], 'far east': [9, 0], north: [0, 2], west: [-3, 0] }
    const evaluator = createJudge('embeddingSimilarity', { threshold: 0.5 })
    expect(evaluator).toMatchObject({ kind: 'numeric', scale: [-1, 1] })
    const { judge, server } = await startJudging(evaluator, { embed: (text) => vectors[text] })
    const score = async (output: string) => judge({ output, expected: 'east' })
    expect(await score('far east')).toEqual({
      ...{ state: 'scored', score: 1, passed: true, reason: 'The cosine similarity is 1.000.' },
    })
    expect(await score('north')).toMatchObject({ score: 0, passed: false })
    expect(await score('west')).toMatchObject({ score: -1, passed: false })
    expect(server.requests.map(({ path }) => path)).toEqual(Array(3).fill('/v1/embeddings'))
    expect(server.requests[0]?.body).toEqual({ model: 'text-embed-1', input: ['far east', 'east'] })
  })

  it('equal vectors are 1, and not a little more by rounding', async () => {
    const { judge } = await startJudging(createJudge('embeddingSimilarity', {}), { embed: () => [0, 0.1, 0.8] })
    expect(await judge({ output: 'a', expected: 'b' })).toMatchObject({ score: 1 })
  })

  it('stays on its scale and is symmetric, for any vectors', async () => {
    const entry = fc.double({ noNaN: true, noDefaultInfinity: true })
    const pair = fc.integer({ min: 1, max: 6 }).chain((length) => {
      const vector = fc.array(entry, { minLength: length, maxLength: length })
      return fc.tuple(vector, vector)
    })
    let vectors: number[][] = []
    const evaluator = createJudge('embeddingSimilarity', {})
    const { judge } = await startJudging(evaluator, { embed: (text) => vectors[Number(text)] })
    await fc.assert(
      fc.asyncProperty(pair, async (both) => {
        vectors = both
        const verdict = await judge({ output: '0', expected: '1' })
        if (verdict.state !== 'scored') {
          expect(verdict).toEqual({ state: 'failed', reason: 'The model gave a vector without a direction.' })
          return
        }
        expect(verdict.score).toBeGreaterThanOrEqual(-1)
        expect(verdict.score).toBeLessThanOrEqual(1)
        const other = await judge({ output: '1', expected: '0' })
        expect(other).toMatchObject({ score: expect.closeTo(verdict.score ?? 2, 12) })
      }),
      { numRuns: 150 },
    )
  })

  it('an empty output is similar only to an empty expected value, and no request is sent', async () => {
    const { judge, server } = await startJudging(createJudge('embeddingSimilarity', { threshold: 0.9 }))
    expect(await judge({ output: ' ', expected: 'x' })).toMatchObject({
      score: 0,
      passed: false,
      reason: 'The output is empty.',
    })
    expect(await judge({ output: 'x', expected: '' })).toMatchObject({
      score: 0,
      reason: 'The expected value is empty.',
    })
    expect(await judge({ output: '', expected: '\n' })).toMatchObject({ score: 1, passed: true })
    expect(await judge({ output: 'x' })).toEqual({ state: 'skipped', reason: 'the item has no expected value' })
    expect(server.requests).toHaveLength(0)
  })

  it('a long text is cut in the middle, which the reason mentions', async () => {
    const { judge, server } = await startJudging(createJudge('embeddingSimilarity', {}))
    const verdict = await judge({ output: 'a'.repeat(50_000), expected: 'a' })
    const [sent] = [server.requests[0]?.body.input].flat()
    expect(String(sent).length).toBeLessThan(24_100)
    expect(verdict.reason).toMatch(/Long texts were cut in the middle: the model saw 24000 characters of each\.$/)
  })
})
