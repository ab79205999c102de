// @module-tag deep
/** The built guide, served by the server. The harness fails on a console error, a rejected script and a foreign request. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SearchedSection } from '../../site/src/find-sections.ts'
import { readGuidePages } from '../../site/src/guide-pages.ts'
import { guideState } from '../../tools/guide-state.ts'
import { describePages } from './describe-pages.ts'

const root = join(import.meta.dirname, '../..')
const pages = readGuidePages()

beforeAll(() => {
  // The installation has built it; a document may have changed since then.
  if (guideState(root) !== 'current') execFileSync(process.execPath, [join(root, 'tools/build-guide.ts')])
})

describe('guide', () => {
  describePages('the built site', (app, open) => {
    const get = (path: string) => fetch(`${app().url}${path}`, { headers: { accept: 'text/html' } })

    it('every link, image, script and anchor of every page and of the search exists', async () => {
      const wanted = new Map<string, string>()
      const anchors = new Map<string, Set<string>>()
      for (const { id } of pages) {
        const path = id === 'index' ? '/guide/' : `/guide/${id}/`
        const html = await (await get(path)).text()
        anchors.set(path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, anchor = '']) => anchor)))
        for (const [, target = ''] of html.matchAll(/\s(?:href|src|data-address)="([^"]+)"/g)) {
          const { origin, pathname, hash } = new URL(target.replaceAll('&amp;', '&'), `${app().url}${path}`)
          if (origin === app().url) wanted.set(`${pathname}${hash}`, path)
        }
      }
      const found: SearchedSection[] = JSON.parse(await (await get('/guide/search.json')).text())
      for (const { address } of found) wanted.set(address, 'the search')
      expect(wanted.size).toBeGreaterThan(400)
      const paths = [...new Set([...wanted.keys()].map((target) => target.split('#')[0] ?? ''))]
      const statuses = await Promise.all(paths.map(async (path) => [path, (await get(path)).status] as const))
      expect(statuses.filter(([, status]) => status !== 200)).toEqual([])
      const broken = [...wanted].filter(([target]) => {
        const [path = '', anchor] = target.split('#')
        return anchor !== undefined && anchors.has(path) && !anchors.get(path)?.has(decodeURIComponent(anchor))
      })
      expect(broken).toEqual([])
    })

    it('a search finds a word without another server, and links to its page', async () => {
      const page = await open(app().url)
      await page.goto('/guide/')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('textbox', { name: 'Search' }).fill('injection')
      await page.getByRole('link', { name: 'Prompt injection' }).click()
      await page.getByRole('heading', { name: 'Model evaluators', level: 1 }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/guide/model-evaluators/')
    })

    it('the Markdown of a page can be copied', async () => {
      const page = await open(app().url)
      await page.goto('/guide/cli/')
      await page.getByRole('button', { name: 'Copy as Markdown' }).click()
      await page.getByText('Copied', { exact: true }).waitFor()
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(copied).toBe(await (await get('/guide/cli.md')).text())
      expect(copied).toMatch(/^# Command line\n/)
    })

    it('follows the theme of the system, and shares the chosen one with the interface', async () => {
      const page = await open(app().url, { theme: 'dark' })
      await page.goto('/guide/traces/')
      expect(await background(page)).toBe('rgb(20, 19, 17)')
      await page.getByRole('combobox', { name: 'Theme' }).selectOption('Light')
      expect(await background(page)).toBe('rgb(247, 245, 240)')
      await page.getByRole('link', { name: 'Open Touchstone' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light')
    })

    it('has no violation according to axe, in both themes, and fits a phone', async () => {
      const page = await open(app().url)
      await page.goto('/guide/cli/')
      expect(await violations(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(() => background(page)).toBe('rgb(20, 19, 17)')
      expect(await violations(page, `runOnly: ['color-contrast'],`)).toEqual([])
      await page.setViewportSize({ width: 390, height: 844 })
      for (const path of ['/guide/', '/guide/cli/', '/guide/settings/']) {
        await page.goto(path)
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0)
      }
      expect(await violations(page, `runOnly: ['scrollable-region-focusable'],`)).toEqual([])
    })
  })
})

const background = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor')

async function violations(page: Page, options = ''): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<Pick<AxeResults, 'violations'>>(
    `axe.run({ ${options} resultTypes: ['violations'], preload: false, elementRef: false })`,
  )
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
