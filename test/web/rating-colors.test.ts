import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ratingColors } from '../../web/src/ui/rating-mark.tsx'
import { operations } from './api-description.ts'

const styles = readFileSync('web/src/styles.css', 'utf8')
const SURFACES = ['canvas', 'surface', 'raised', 'sunken', 'hover', 'gold-wash']
const themes = ['light', 'dark'] as const

/** The value of a color of the theme, such as "#fff". */
function colorOf(name: string, theme: (typeof themes)[number]): string {
  const [, light, dark] = new RegExp(`--color-${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(styles) ?? []
  const value = theme === 'light' ? light : dark
  if (!value) throw new Error(`The theme has no color ${name}`)
  return value
}

/** As defined by WCAG 2. */
function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((left, right) => left - right)
  return (high + 0.05) / (low + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

describe('the colors of ratings', () => {
  it('are those of the API', () => {
    const put = operations.find(({ name }) => name === 'PUT /rating-scheme')
    const described = JSON.stringify(put?.requestBody)
    expect(described).toContain(JSON.stringify([...ratingColors, null]).slice(1, -1))
  })

  it.each(themes)('have the contrast of text on every surface of the %s theme', (theme) => {
    const low = ratingColors.flatMap((color) =>
      SURFACES.filter((surface) => contrast(colorOf(`rating-${color}`, theme), colorOf(surface, theme)) < 4.5).map(
        (surface) => `${color} on ${surface}`,
      ),
    )
    expect(low).toEqual([])
  })
})
