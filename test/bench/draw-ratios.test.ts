/** The plot of the recorded benchmarks. */
import { describe, expect, it } from 'vitest'
import { drawRatios } from '../../bench/harness/draw-ratios.ts'
import type { RecordedFigure } from '../../bench/harness/recorded-figures.ts'

const figure = (more: Partial<RecordedFigure>): RecordedFigure => ({
  value: 2,
  unit: 'x',
  better: 'less',
  bar: 4,
  effort: 'full',
  date: '2026-11-17',
  ...more,
})

const draw = (lines: Record<string, RecordedFigure>) => drawRatios(new Map(Object.entries(lines)))
const marksOf = (svg: string) => [...svg.matchAll(/<(circle|path) class="(\w+)"/g)].map(([, , state]) => state)
const placeOf = (svg: string) => Number(/cx="([\d.]+)"/.exec(svg)?.[1])

describe('drawRatios', () => {
  it('marks what is beyond its bar, in either direction', () => {
    const svg = draw({
      'a: less and within': figure({ value: 3 }),
      'a: less and beyond': figure({ value: 5 }),
      'a: more and within': figure({ value: 30_000, bar: 25_000, better: 'more', unit: '' }),
      'a: more and beyond': figure({ value: 20_000, bar: 25_000, better: 'more', unit: '' }),
    })
    expect(marksOf(svg)).toEqual(['met', 'missed', 'met', 'missed'])
    expect(svg).toContain('aria-label="4 figures relative to their limits: 2 within, 2 beyond"')
    expect(svg).toContain('>20,000 of 25,000<')
    expect(svg).toContain('>5x of 4x<')
  })

  it('has the same position for the same share of a bar, for any bar and direction', () => {
    const places = [
      figure({ value: 2, bar: 4 }),
      figure({ value: 50, bar: 100, unit: 'ms' }),
      figure({ value: 50_000, bar: 25_000, better: 'more', unit: '' }),
    ].map((one) => placeOf(draw({ 'a: b': one })))
    expect(new Set(places).size).toBe(1)
    expect(places[0]).toBeLessThan(placeOf(draw({ 'a: b': figure({ value: 4, bar: 4 }) })))
  })

  it('draws figures far from their bar at the ends of the axis', () => {
    expect(draw({ 'a: b': figure({ value: 0, spread: [0, 1e9] }) })).not.toMatch(/NaN|Infinity/)
  })

  it('excludes lines without a bar and lines whose bar is zero', () => {
    const { bar: _, ...without } = figure({})
    expect(marksOf(draw({ 'a: b': without, 'a: c': figure({ bar: 0, value: 0 }) }))).toEqual([])
  })

  it('escapes text, so that a name cannot become markup', () => {
    const svg = draw({ 'a: <script>"&': figure({}) })
    expect(svg).toContain('&lt;script&gt;&quot;&amp;')
    expect(svg).not.toContain('<script>')
  })

  it('has colors for light and dark, on a background of its own', () => {
    const svg = draw({ 'a: b': figure({}) })
    expect(svg).toContain('prefers-color-scheme: dark')
    expect(svg).toMatch(/<rect class="ground"/)
  })

  it('states when figures were recorded and with little effort', () => {
    const svg = draw({ 'a: b': figure({ effort: 'quick' }), 'a: c': figure({ date: '2026-11-18' }) })
    expect(svg).toContain('Recorded 2026-11-17 to 2026-11-18, with little effort (--quick)')
  })
})
