// @module-tag deep
/** The parts of the interface in a browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from '../harness/browser.ts'
import { expectAccessible } from './expect-accessible.ts'
import { startUiKit } from './ui-kit-server.ts'

describeInBrowser('the parts of the interface', (open) => {
  let kit: Awaited<ReturnType<typeof startUiKit>> | undefined
  beforeAll(async () => {
    kit = await startUiKit()
  })
  afterAll(() => kit?.[Symbol.asyncDispose]())

  async function openKit(search: string): Promise<Page> {
    if (!kit) throw new Error('the kit is served only while a test runs')
    const page = await open(kit.url)
    await page.goto(`/?${search}`)
    await page.getByRole('heading', { name: 'Texts' }).waitFor()
    return page
  }

  it('have no violation of accessibility, and fit, at every width and in both themes', async () => {
    const page = await openKit('theme=system')
    // The worker has compared the long texts.
    await expect.poll(() => page.locator('p[aria-busy]').count()).toBe(0)
    await expectAccessible(page, 'ui-kit')
  })

  it('show 100,000 rows with few nodes, and keep the header and the first column in view', async () => {
    const page = await openKit('theme=light&rows=100000')
    const table = page.getByRole('grid', { name: 'Traces' })
    const scroller = page.getByRole('region', { name: 'Traces' })
    await scroller.evaluate((element) => element.scrollTo(0, 2_000_000))
    await table.getByRole('row').filter({ hasText: '14:' }).first().waitFor()
    expect(await table.locator('tr[data-row-id]').count()).toBeLessThan(60)
    expect(await table.evaluate((element) => element.querySelectorAll('*').length)).toBeLessThan(1500)
    const top = await scroller.evaluate((element) => element.getBoundingClientRect().top)
    expect(
      await table.getByRole('columnheader', { name: 'Time' }).evaluate((header) => header.getBoundingClientRect().top),
    ).toBe(top)
  })

  it('move the active row by keys through rows that are not rendered yet', async () => {
    const page = await openKit('theme=light')
    await page.getByRole('grid', { name: 'Traces' }).locator('tr[data-row-id=trace-1]').focus()
    for (let press = 0; press < 40; press += 1) await page.keyboard.press('j')
    const active = page.locator('tr[aria-current=true]')
    await expect.poll(() => active.getAttribute('data-row-id')).toBe('trace-41')
    await expect.poll(() => page.evaluate('document.activeElement.dataset.rowId')).toBe('trace-41')
    const [row, header] = await Promise.all([
      active.boundingBox(),
      page.getByRole('grid', { name: 'Traces' }).locator('thead').boundingBox(),
    ])
    expect(row?.y).toBeGreaterThanOrEqual((header?.y ?? 0) + (header?.height ?? 0) - 1)
  })
})
