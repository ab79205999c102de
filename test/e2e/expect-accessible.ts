import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type AxeResults, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const SCREENSHOTS = join(import.meta.dirname, '../screenshots')
const TAKES_PICTURES = process.env['SCREENSHOTS'] === '1'

/** Fails with what axe finds on the page, in light and dark. With SCREENSHOTS=1 it also takes pictures. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    // Colours fade from one theme to the other; half-way they have another contrast.
    await page.evaluate(REST)
    if (TAKES_PICTURES) {
      mkdirSync(SCREENSHOTS, { recursive: true })
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${theme}.png`), animations: 'disabled' })
    }
    const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(AXE_OPTIONS[theme])})`)
    const found = violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`,
    )
    expect(found, `${name}, ${theme}`).toEqual([])
  }
}

const REST = `Promise.allSettled(
  document.getAnimations()
    .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
    .map((animation) => animation.finished))`

const AXE_OPTIONS: Record<'light' | 'dark', RunOptions> = {
  // It would otherwise describe every element that is well, which takes it longer than to look at them.
  light: { resultTypes: ['violations'] },
  // A theme changes colours and nothing else.
  dark: { resultTypes: ['violations'], runOnly: ['color-contrast'] },
}
