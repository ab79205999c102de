import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isDeep } from '../harness/stage.ts'
import { measurePage } from './measure-page.ts'

const SCREENSHOTS = join(import.meta.dirname, '../screenshots')
const TAKES_PICTURES = process.env['SCREENSHOTS'] === '1'

const OTHER_WINDOWS = [
  { width: 1920, height: 1080 },
  { width: 390, height: 844 },
]
/** The last one is the size that the harness gives to windows. The others need most of the time. */
const WINDOWS = [...(isDeep ? OTHER_WINDOWS : []), { width: 1280, height: 860 }]

/**
 * Fails with what axe finds on the page, and with what does not fit, at three widths and in both themes. The page is
 * resized, not loaded again. With SCREENSHOTS=1 it also takes pictures.
 *
 * Contrast is most of axe's time, and depends on few things: each combination of colors and sizes is looked at once in a
 * test file, on the first page that has it.
 */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  await page.evaluate(`(${PREPARE})(${JSON.stringify([...knownTexts])})`)
  const found: string[] = []
  for (const size of WINDOWS) {
    const note = (problems: string[]) =>
      found.push(...problems.map((problem) => `${name}, ${size.width} px: ${problem}`))
    await page.setViewportSize(size)
    await page.evaluate(REST)
    note(await runAxe(page, `runRules(${size.width > 1280})`))
    note(await measurePage(page, size.width < 640 ? 'finger' : 'mouse'))
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      // Colors fade from one theme to the other; half-way they have another contrast.
      await page.evaluate(REST)
      await takePicture(page, `${name}-${size.width}-${theme}`)
      note(await runAxe(page, 'runContrast()'))
    }
    await page.emulateMedia({ colorScheme: 'light' })
  }
  for (const text of await page.evaluate<string[]>('knownTexts()')) knownTexts.add(text)
  expect(found.join('\n')).toBe('')
}

const knownTexts = new Set<string>()

async function runAxe(page: Page, script: string): Promise<string[]> {
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(script)
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (!TAKES_PICTURES) return
  mkdirSync(SCREENSHOTS, { recursive: true })
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: 'disabled' })
}

const REST = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => Promise.allSettled(
  document.getAnimations()
    .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
    .map((animation) => animation.finished)))`

/** In the browser. Reports violations only: describing every element that is well needs longer than looking at it. */
const PREPARE = `(known) => {
  const quick = { resultTypes: ['violations'], preload: false, elementRef: false }
  const looks = new Set()
  const texts = new Set(known)
  globalThis.knownTexts = () => [...texts]

  /**
   * All rules but contrast. Where a width shows the same elements as another one, only what depends on sizes; so does a wide
   * window, which shows what the others show with more room.
   */
  globalThis.runRules = (isWide) => {
    const look = [...document.body.querySelectorAll('*')]
      .filter((element) => element.checkVisibility())
      .map((element) => element.tagName + element.getAttribute('class') + element.childElementCount)
      .join()
    const isKnown = isWide || looks.has(look)
    if (!isWide) looks.add(look)
    const rules = { 'color-contrast': { enabled: false } }
    return axe.run(isKnown ? { ...quick, runOnly: ['scrollable-region-focusable'] } : { ...quick, rules })
  }

  /** One text for each combination that was not looked at yet. */
  globalThis.runContrast = () => {
    const include = []
    for (const element of document.body.querySelectorAll('*')) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())
      if (!hasText && !element.matches('input, textarea, select')) continue
      if (!element.checkVisibility()) continue
      const text = describe(element)
      if (!texts.has(text)) include.push(element)
      texts.add(text)
    }
    return include.length === 0 ? { violations: [] } : axe.run({ include }, { ...quick, runOnly: ['color-contrast'] })
  }

  /** Colors and sizes of a text, and everything behind it up to something opaque. */
  function describe(element) {
    const { color, fontSize, fontWeight } = getComputedStyle(element)
    const parts = [color, fontSize, fontWeight, element.matches(':disabled, [aria-disabled=true]')]
    for (let behind = element; behind; behind = behind.parentElement) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(behind)
      if (opacity !== '1' || backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none')
        parts.push(backgroundColor, backgroundImage, opacity)
      if (/^rgb\\(|^color\\([^/]*$/.test(backgroundColor)) break
    }
    return parts.join()
  }
}`
