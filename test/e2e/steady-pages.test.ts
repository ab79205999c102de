// @module-tag deep
/** Every page is the same after a reload, stays where it was scrolled after going back, and does not move while it loads. */
import type { Page, Request } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import type { Person } from '../harness/test-app.ts'
import { describePages, newOwner } from './describe-pages.ts'

/** Of one page: https://web.dev/articles/cls; 0.1 is called good. */
const SHIFT_MAX = 0.02

const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

/** `:a` is the application, `:c` its component, `:r` a run, `:p` a prompt, `:e` an evaluation, `:d` the dataset, `:t` and `:u` traces. */
const PATHS = [
  '/?new=true',
  '/account#sessions',
  '/a/:a?period=30d',
  '/a/:a/work',
  '/a/:a/components',
  '/a/:a/c/:c?period=24h',
  '/a/:a/c/:c/datasets',
  '/a/:a/c/:c/datasets/:d?split=none&sort=oldest',
  '/a/:a/c/:c/runs',
  '/a/:a/c/:c/trials',
  '/a/:a/c/:c/trials/new',
  '/a/:a/c/:c/experiments',
  '/a/:a/c/:c/experiments/new',
  '/a/:a/c/:c/evaluations',
  '/a/:a/c/:c/evaluations/:e',
  '/a/:a/c/:c/evaluations/:e?state=passed',
  '/a/:a/c/:c/compare?filter=improved',
  '/a/:a/c/:c/decisions',
  '/a/:a/c/:c/evaluations/new?run=:r',
  '/a/:a/c/:c/evaluations/new?view=json',
  '/a/:a/c/:c/runs/:r',
  '/a/:a/c/:c/runs/:r?tab=ratings',
  '/a/:a/c/:c/trends?period=7d',
  '/a/:a/c/:c/prompts',
  '/a/:a/c/:c/prompts/:p',
  '/a/:a/c/:c/prompts/:p?version=5&view=diff&from=2',
  '/a/:a/c/:c/prompts/:p/deploy/production?version=5',
  '/a/:a/c/:c/prompts/:p/deploy/staging?version=3',
  '/a/:a/c/:c/prompts/:p/playground?versions=2,5',
  '/a/:a/c/:c/prompts/:p/playground?versions=2,5&rows=items',
  '/a/:a/c/:c/runs/:r?tab=agreement&state=all',
  '/a/:a/c/:c/datasets/:d/agreement',
  '/a/:a/c/:c/datasets/:d/import',
  '/a/:a/traces?q=status%3Aok&sort=-duration&trace=:t',
  '/a/:a/traces/:t?view=timeline',
  '/a/:a/traces/compare?left=:t&right=:u',
  '/a/:a/first-trace',
  '/a/:a/settings/general',
  '/a/:a/settings/api-keys',
  '/a/:a/settings/members?new=true',
  '/a/:a/settings/rating-scheme',
  '/a/:a/settings/models',
  '/a/:a/settings/endpoints',
  '/a/:a/settings/prices',
  '/a/:a/settings/retention',
  '/a/:a/settings/audit?action=workspace%2Cexample-data',
  '/a/:a/settings/health',
]

/** Whose parts arrive one after the other. */
const PHONE_PATHS = PATHS.filter((path) => /period|prompts|traces|members|rating-scheme|prices|health/.test(path))

describePages('pages', (app, open) => {
  let person: Person
  let ids: Record<string, string> = {}

  beforeAll(async () => {
    const { client: sender, workspaceId, person: owner } = await newOwner(app(), 'Support')
    const client = app().asPerson(owner, workspaceId)
    expect((await client.send('POST', '/example-data')).status).toBe(201)
    const [component] = await sender.list('/components')
    const [run] = await sender.list(`/components/${component?.id}/runs`)
    const [evaluation] = await sender.list(`/components/${component?.id}/evaluations`)
    const [dataset] = await sender.list(`/components/${component?.id}/datasets`)
    const [prompt] = await sender.list(`/components/${component?.id}/prompts`)
    const [trace, other] = await sender.list('/traces')
    person = owner
    const texts = {
      a: workspaceId,
      c: component?.id,
      r: run?.id,
      e: evaluation?.id,
      d: dataset?.id,
      p: prompt?.id,
      t: trace?.id,
      u: other?.id,
    }
    ids = Object.fromEntries(Object.entries(texts).map(([name, id]) => [name, String(id)]))
  })

  async function load(page: Page, path: string, pending: ReadonlySet<Request>): Promise<Shifts[number]> {
    await page.goto(addressOf(path))
    await settled(page, pending)
    return [path, ...(await page.evaluate<[number, string]>('window.shifts'))]
  }

  const addressOf = (path: string) => path.replaceAll(/:([acrdeptu])\b/g, (_, name) => ids[name] ?? '')

  it('show the same after a reload, and nothing moves while they load', async () => {
    const check = async (paths: string[]): Promise<Shifts> => {
      const page = await open(app().url, { person })
      await page.setViewportSize(WIDE)
      await page.addInitScript(OBSERVE_SHIFTS)
      const pending = followRequests(page)
      const shifts: Shifts = []
      for (const path of paths) {
        shifts.push(await load(page, path, pending))
        const before = { address: page.url(), texts: await shownIn(page) }
        await page.reload()
        await settled(page, pending)
        expect({ address: page.url(), texts: await shownIn(page) }, path).toEqual(before)
      }
      return shifts
    }
    // Two windows, because a page mostly waits.
    const isFirst = (_: string, index: number) => index % 2 === 0
    const halves = [PATHS.filter(isFirst), PATHS.filter((path, index) => !isFirst(path, index))]
    expectSteady((await Promise.all(halves.map(check))).flat())
  })

  it('do not move while they load on a phone', async () => {
    const page = await open(app().url, { person })
    await page.setViewportSize(NARROW)
    await page.addInitScript(OBSERVE_SHIFTS)
    const pending = followRequests(page)
    const shifts: Shifts = []
    for (const path of PHONE_PATHS) shifts.push(await load(page, path, pending))
    expectSteady(shifts)
  })

  it('keep their scroll position after going back', async () => {
    const page = await open(app().url, { person })
    await page.setViewportSize({ width: 1280, height: 500 })
    const pending = followRequests(page)
    await page.goto(addressOf('/a/:a/c/:c'))
    await settled(page, pending)
    await page.evaluate(SCROLL_DOWN)
    // A click would scroll to its link.
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: 'Components' }).waitFor()
    await page.goBack()
    await expect.poll(() => page.evaluate('scrollY')).toBe(400)
  })
})

type Shifts = [path: string, shift: number, moved: string][]

function expectSteady(shifts: Shifts): void {
  console.info(shifts.map(([path, shift, moved]) => `${shift.toFixed(4)} ${path}${moved}`).join('\n'))
  expect(shifts.filter(([, shift]) => shift > SHIFT_MAX)).toEqual([])
}

// Scripts of the page.

/** Until the event was handled, the router does not know. */
const SCROLL_DOWN = `new Promise((done) => {
  addEventListener('scroll', () => requestAnimationFrame(done), { once: true })
  scrollTo(0, 400)
})`

const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** The sum of all shifts, and what moved. */
const OBSERVE_SHIFTS = `
  window.shifts = [0, '']
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      const moved = sources.map(({ node }) => String(node?.className || node?.nodeName).slice(0, 60))
      window.shifts = [window.shifts[0] + value, window.shifts[1] + ' ' + value.toFixed(3) + ' [' + moved.join(' | ') + ']']
    }
  }).observe({ type: 'layout-shift', buffered: true })`

/** The requests that have no response yet, without the stream of events, which never ends. */
function followRequests(page: Page): ReadonlySet<Request> {
  const pending = new Set<Request>()
  page.on('request', (request) => !request.url().includes('/events') && pending.add(request))
  page.on('requestfinished', (request) => pending.delete(request))
  page.on('requestfailed', (request) => pending.delete(request))
  return pending
}

/** Waits until all of the page is there: nothing is loading, nor requested after the loaded content is shown. */
async function settled(page: Page, pending: ReadonlySet<Request>): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  const isQuiet = async () => {
    if (pending.size > 0 || (await page.getByText('Loading…').count()) > 0) return false
    await page.evaluate(TWO_FRAMES)
    return pending.size === 0
  }
  await expect.poll(isQuiet).toBe(true)
}

/** Without numbers: times pass, and the load of the server changes. */
async function shownIn(page: Page): Promise<string[]> {
  const texts = await page.locator('main, dialog').allInnerTexts()
  return texts.map((text) => text.replaceAll(/\d[\d.,:]*/g, '#').replaceAll(/just now|# \w+ ago/g, 'ago'))
}
