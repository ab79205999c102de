// @module-tag deep
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describePages } from './describe-pages.ts'

describePages('theme', (app, open) => {
  async function choose(page: Page, theme: string): Promise<void> {
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemradio', { name: theme }).click()
  }

  const background = (page: Page) => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')

  it('a chosen theme is there before the first paint of the next visit, in spite of the browser’s own', async () => {
    const page = await open(app().url, { theme: 'light' })
    await page.goto('/sign-in')
    const light = await background(page)
    await choose(page, 'Dark')
    await expect.poll(() => background(page)).not.toBe(light)
    const dark = await background(page)

    await page.addInitScript({
      content: `
        addEventListener('DOMContentLoaded', () => {
          const { dataset, children: [, body] } = document.documentElement
          globalThis.atFirst = {
            theme: dataset.theme, isEmpty: body.querySelector('#root').childElementCount === 0,
            background: getComputedStyle(document.documentElement).backgroundColor,
          }
        })
        new MutationObserver((_, observer) => {
          if (!document.body) return
          globalThis.themeAtBody = document.documentElement.dataset.theme
          observer.disconnect()
        }).observe(document, { childList: true, subtree: true })`,
    })
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate('themeAtBody')).toBe('dark')
    expect(await page.evaluate('atFirst')).toMatchObject({ theme: 'dark', background: dark })
    expect(await background(page)).toBe(dark)
  })

  it('without a choice, and after choosing System again, the browser’s preference is followed', async () => {
    const page = await open(app().url, { theme: 'dark' })
    await page.goto('/sign-in')
    const dark = await background(page)
    await choose(page, 'Light')
    await expect.poll(() => background(page)).not.toBe(dark)
    await choose(page, 'System')
    await expect.poll(() => background(page)).toBe(dark)
    await page.reload()
    expect(await background(page)).toBe(dark)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => background(page)).not.toBe(dark)
  })

  it('a choice in one tab is followed by the other tabs', async () => {
    const page = await open(app().url, { theme: 'light' })
    await page.goto('/sign-in')
    const other = await page.context().newPage()
    await other.goto('/docs')
    await other.getByRole('heading', { level: 1 }).waitFor()
    const light = await background(other)
    await page.bringToFront()
    await choose(page, 'Dark')
    await expect.poll(() => background(other)).not.toBe(light)
  })
})
