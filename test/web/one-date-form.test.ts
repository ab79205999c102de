import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const WEB = join(import.meta.dirname, '../../web/src')

it('all dates and times have one form: 18 Nov, 14:20', () => {
  const locales = globSync('**/*.{ts,tsx}', { cwd: WEB }).flatMap((file) =>
    [...readFileSync(join(WEB, file), 'utf8').matchAll(/DateTimeFormat\('([^']*)'/g)].map(([, locale]) => locale),
  )
  expect(locales.length).toBeGreaterThan(10)
  expect([...new Set(locales)]).toEqual(['en-GB'])
})
