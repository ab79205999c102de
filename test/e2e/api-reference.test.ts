// @module-tag deep
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describePages } from './describe-pages.ts'

type Described = { operationId: string; summary: string }

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

const openapi: { paths: Record<string, Record<string, Described>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'),
)

const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  METHODS.flatMap((method) => (methods[method] ? [{ path, method, ...methods[method] }] : [])),
)

describePages('API reference', (app, open) => {
  it('a user who is not signed in finds every operation of openapi.json, with its method, path, responses and a command', async () => {
    const page = await open(app().url)
    await page.goto('/docs')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const nodes = await page.evaluate('document.querySelectorAll("*").length')
    expect(nodes, 'a page that any browser scrolls smoothly').toBeLessThanOrEqual(4000)
    // As a reader who opens each: in one script, because each click from outside waits for the page.
    await page.evaluate('for (const button of document.querySelectorAll("article button")) button.click()')
    await expect.poll(() => page.getByRole('button', { name: 'Fields and command' }).count()).toBe(0)
    const shown = await page.getByRole('article').allTextContents()
    const missing = operations.filter(
      ({ summary, method, path }) =>
        !shown.some((text) =>
          [summary, method.toUpperCase(), path, 'Responses', 'curl'].every((part) => text.includes(part)),
        ),
    )
    expect(missing).toEqual([])
    expect(shown).toHaveLength(operations.length)
    const entries = page.getByRole('navigation', { name: 'Operations' }).getByRole('link')
    expect(await entries.count()).toBe(shown.length)
  })

  it('searching narrows the operations, is kept in the address, and says when nothing matches', async () => {
    const page = await open(app().url)
    await page.goto('/docs')
    const search = page.getByRole('searchbox', { name: 'Search operations' })
    await search.waitFor()
    const articles = page.getByRole('article')
    const all = await articles.count()
    await search.fill('datasets post')
    await page.waitForURL(/q=datasets/)
    await expect.poll(() => articles.count()).toBeLessThan(all)
    const shown = await articles.allTextContents()
    expect(shown.length).toBeGreaterThan(0)
    for (const text of shown) expect(text.toLowerCase()).toContain('datasets')
    await page.reload()
    expect(await search.inputValue()).toBe('datasets post')
    expect(await articles.count()).toBe(shown.length)
    await search.fill('nothing is called like this')
    await page.getByText('Nothing matches').waitFor()
    await search.fill('')
    await expect.poll(() => articles.count()).toBe(all)
  })

  it('a link to an operation opens the page at that operation', async () => {
    const page = await open(app().url)
    await page.goto('/docs#deleteComponentsByComponentId')
    await expectNearTop(page, 'deleteComponentsByComponentId')
  })

  it('choosing an operation in the list goes to it and names it in the address', async () => {
    const page = await open(app().url)
    await page.goto('/docs')
    const list = page.getByRole('navigation', { name: 'Operations' })
    await list.getByRole('link', { name: 'DEL /components/{componentId}', exact: true }).click()
    await page.waitForURL(/#deleteComponentsByComponentId$/)
    await expectNearTop(page, 'deleteComponentsByComponentId')
  })

  /** Below the bar at the top, and not further down than a reader would look. */
  async function expectNearTop(page: Page, anchor: string): Promise<void> {
    const top = async () => (await page.locator(`article#${anchor}`).boundingBox())?.y ?? -1
    await expect.poll(async () => (await top()) >= 0 && (await top()) < 300).toBe(true)
  }
})
