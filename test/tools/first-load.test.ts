/** What a browser loads before a page of the built interface can be used: computed from the files and their imports. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const WEB = join(import.meta.dirname, '../../dist/web')
const ASSETS = join(WEB, 'assets')

const FIRST_LOAD_MAX = 200_000
const PAGE_MAX = 350_000

/** Pages above the limit. They must not grow; a page that meets the limit must leave the list. */
const ABOVE = new Map([['prompt', 217_000]])

function readAssets() {
  if (!existsSync(ASSETS)) throw new Error('The interface is not built: run npm run prepare')
  const names = readdirSync(ASSETS).filter((name) => /\.(js|css)$/.test(name))
  const texts = new Map(names.map((name) => [name, readFileSync(join(ASSETS, name), 'utf8')]))
  const found = (name: string, pattern: RegExp) =>
    [...(texts.get(name) ?? '').matchAll(pattern)].flatMap(([, file]) => (file && file !== name ? [file] : []))
  const imports = (name: string) => found(name, /(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)
  const parts = (name: string) => found(name, /import\(\s*["'`]\.\/([^"'`]+\.js)["'`]\s*\)/g)
  return { imports, parts }
}

const { imports, parts } = readAssets()

function withImports(names: Iterable<string>): Set<string> {
  const all = new Set<string>()
  const add = (name: string) => {
    if (all.has(name)) return
    all.add(name)
    for (const imported of imports(name)) add(imported)
  }
  for (const name of names) add(name)
  return all
}

/** As the server sends them. */
const bytesOf = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + statSync(join(ASSETS, `${name}.br`)).size, 0)

const html = readFileSync(join(WEB, 'index.html'), 'utf8')
const linked = [...html.matchAll(/assets\/([^"]+\.(?:js|css))/g)].map(([, name = '']) => name)
const first = withImports(linked)
const pages = [...first]
  .flatMap(parts)
  .filter((name) => /-page-/.test(name))
  .map((name) => ({ page: name.replace(/-page-.*/, ''), files: withImports([...first, name]) }))

it('finds the pages of the interface', () => {
  expect(pages.map(({ page }) => page)).toEqual(expect.arrayContaining(['traces', 'trace', 'sign-in', 'compare']))
  expect(pages.length).toBeGreaterThan(35)
  expect(first.size).toBeGreaterThan(3)
})

it.each(pages)('the first load of the page $page stays within its limit', ({ page, files }) => {
  expect(bytesOf(files)).toBeLessThanOrEqual(ABOVE.get(page) ?? FIRST_LOAD_MAX)
})

it('a page that meets the limit is not listed as one above it', () => {
  const above = pages.filter(({ files }) => bytesOf(files) > FIRST_LOAD_MAX).map(({ page }) => page)
  expect(above.sort()).toEqual([...ABOVE.keys()].sort())
})

it.each(pages)('the page $page with all of its parts and fonts is not heavier than 350 kB', ({ files }) => {
  const own = [...files].filter((name) => !first.has(name))
  // What any page can load, such as the sheet of shortcuts, is in the first files and counts for none.
  const all = withImports([...files, ...own.flatMap(parts)])
  const fonts = readdirSync(ASSETS).filter((name) => name.endsWith('.woff2'))
  const fontBytes = fonts.reduce((sum, name) => sum + statSync(join(ASSETS, name)).size, 0)
  expect(fonts.length).toBeGreaterThan(1)
  expect(bytesOf(all) + fontBytes).toBeLessThanOrEqual(PAGE_MAX)
})
