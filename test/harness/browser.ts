/**
 * A real browser for tests. Every page that a test opens is watched: an error or warning in the console, a request blocked by the
 * content policy, a dialog, a request to a foreign origin or a failing answer fails the test that did not announce it.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { BROWSER_ADVICE, BROWSER_ARGUMENTS, findChromium } from './find-chromium.ts'
import type { Person } from './test-app.ts'

/** Only there to fail with the name of what is missing instead of hanging. */
const TIMEOUT_MS = 120_000

export type OpenOptions = {
  /** Who is signed in; no one by default. */
  person?: Person
  theme?: 'light' | 'dark'
  /** What the test provokes on purpose: "answer: 401 POST /api/v1/setup", "console error on …: …". */
  complaints?: RegExp[]
  /**
   * Pages of the same person, with the same of these options, are then one after another in the same window, with the cookies and the
   * storage that the ones before have left there: for tests that only look, and would spend most of their time opening it.
   */
  isShared?: boolean
}

/** Opens a page with cookies and storage of its own, at no address yet; paths are taken relative to `origin`. */
export type OpenPage = (origin: string, options?: OpenOptions) => Promise<Page>

/** Runs the tests in a browser, or skips them loudly where there is none; with REQUIRE_BROWSER they fail instead. */
export function describeInBrowser(name: string, tests: (open: OpenPage) => void): void {
  const executablePath = findChromium()
  const isRequired = Boolean(process.env['REQUIRE_BROWSER'])
  if (!executablePath && !isRequired) sayThatThereIsNoBrowser()
  describe.skipIf(!executablePath && !isRequired)(name, () => {
    let browser: Browser | undefined
    const contexts: BrowserContext[] = []
    const shared = new Map<string, Promise<Page>>()
    const problems: string[] = []
    beforeAll(async () => {
      if (!executablePath) throw new Error(`REQUIRE_BROWSER is set, but there is no browser. ${BROWSER_ADVICE}`)
      if (!existsSync(join(import.meta.dirname, '../../dist/web/index.html')))
        throw new Error('The interface is not built: run npm run prepare')
      launched ??= chromium.launch({ executablePath, args: BROWSER_ARGUMENTS })
      browser = await launched
    })
    afterAll(async () => {
      for (const page of shared.values()) await (await page).context().close()
    })
    afterEach(async () => {
      await Promise.all(contexts.splice(0).map((context) => context.close()))
      expect(problems.splice(0), 'what the browser complained about').toEqual([])
    })
    async function open(origin: string, options: OpenOptions): Promise<Page> {
      if (!browser) throw new Error('the browser runs only while a test does')
      const context = await newContext(browser, origin, options)
      if (!options.isShared) contexts.push(context)
      watch(context, origin, (problem) => {
        if (!options.complaints?.some((expected) => expected.test(problem))) problems.push(problem)
      })
      return context.newPage()
    }
    tests(async (origin, options = {}) => {
      if (!options.isShared) return open(origin, options)
      const whose = [origin, options.person?.userId, options.theme, options.complaints].join(' ')
      const page = shared.get(whose) ?? open(origin, options)
      shared.set(whose, page)
      return page
    })
  })
}

/** One browser for all test files of a worker: to start it costs as much as most of them. It ends with the worker's process. */
let launched: Promise<Browser> | undefined

/** Once per run, though each test file loads this module again: only the first one to create the file prints. */
function sayThatThereIsNoBrowser(): void {
  try {
    writeFileSync(join(tmpdir(), `touchstone-no-browser-${process.ppid}`), '', { flag: 'wx' })
  } catch {
    return // Another test file has said it.
  }
  const line = '!'.repeat(76)
  console.error(
    [line, '!!  NO BROWSER FOUND: the browser tests did not run.', `!!  ${BROWSER_ADVICE}`, line]
      .join('\n')
      .replace(/^/, '\n'),
  )
}

async function newContext(browser: Browser, origin: string, { person, theme }: OpenOptions): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme: theme ?? 'light',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 860 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  const [name, value] = person?.cookie.split(/=(.*)/s) ?? []
  if (name && value) await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Lax' }])
  // The browser's own message does not name what was blocked; this one does.
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) =>
      console.error('content policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`,
  })
  return context
}

function watch(context: BrowserContext, origin: string, report: (problem: string) => void): void {
  context.on('console', (message) => {
    // The answer itself is judged below.
    const isAboutAnswer = message.text().startsWith('Failed to load resource: the server responded with a status')
    if (['error', 'warning'].includes(message.type()) && !isAboutAnswer)
      report(`console ${message.type()} on ${message.page()?.url()}: ${message.text()}`)
  })
  context.on('weberror', (webError) => report(`exception on ${webError.page()?.url()}: ${webError.error().stack}`))
  context.on('dialog', (dialog) => {
    report(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:') report(`request to a foreign origin: ${url.href}`)
  })
  context.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (response.status() >= 400) report(`answer: ${response.status()} ${response.request().method()} ${pathname}`)
  })
}
