import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type RatedRun, seedRatedRun, setPolicy } from '../annotations/rated-run.ts'
import type { Person } from '../harness/test-app.ts'
import { describePages } from './describe-pages.ts'

const TRACES = 20
/** While the browser has no connection. */
const OUTAGE = { from: 8, to: 11 }

describePages('annotation', (app, open) => {
  it('20 traces are rated with exactly 20 keys, through an outage, and u takes one back', async () => {
    const run = await seedRatedRun(app(), TRACES)
    const person = await newAnnotator(run)
    const page = await open(app().url, { person, complaints: [/Failed to load resource: net::ERR_/] })
    await page.addInitScript({ content: MEASURE_PAINTS })
    await page.goto(annotatePath(run))
    await shownTrace(page)
    let presses = 0
    for (let number = 1; number <= TRACES; number += 1) {
      if (number === OUTAGE.from) await page.route('**/api/v1/**', (route) => route.abort())
      if (number === OUTAGE.to) {
        await page.getByText(/kept on this device/).waitFor()
        await page.unroute('**/api/v1/**')
      }
      await pressAndWait(page, number % 4 === 0 ? '2' : '1')
      presses += 1
    }
    await page.getByRole('heading', { name: 'All rated' }).waitFor()
    expect(presses).toBe(TRACES)
    const annotations = await ratingsOf(run)
    expect(new Set(annotations.map(({ traceDbId }) => traceDbId)).size).toBe(TRACES)
    expect(annotations.filter(({ rating }) => rating === 'positive')).toHaveLength(15)
    expect(annotations.filter(({ rating }) => rating === 'negative')).toHaveLength(5)
    expect(annotations.every(({ userId }) => userId === person.userId)).toBe(true)

    await page.keyboard.press('u')
    const undone = await shownTrace(page)
    await expect.poll(async () => (await ratingsOf(run)).length).toBe(TRACES - 1)
    expect((await ratingsOf(run)).some(({ traceDbId }) => traceDbId === undone)).toBe(false)
    await pressAndWait(page, '1')
    await page.getByRole('heading', { name: 'All rated' }).waitFor()
    expect(await ratingsOf(run)).toHaveLength(TRACES)
    await printPaints(page)
  })

  it('comments and ratings from before the browser was closed in an outage are sent when the page is opened again', {
    tags: 'deep',
  }, async () => {
    const run = await seedRatedRun(app(), 3)
    const page = await open(app().url, {
      person: await newAnnotator(run),
      complaints: [/Failed to load resource: net::ERR_/],
    })
    await page.goto(annotatePath(run))
    const first = await shownTrace(page)
    await page.route('**/api/v1/**', (route) => route.abort())
    await page.keyboard.press('c')
    await page.keyboard.type('1 reason')
    await page.keyboard.press('Escape')
    const second = await pressAndWait(page, '2')
    await page.keyboard.press('c')
    await page.keyboard.type('not finished')
    await page.getByText(/1 kept on this device/).waitFor()
    await page.unroute('**/api/v1/**')
    await page.reload()
    expect(await shownTrace(page)).toBe(second)
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('not finished')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await ratingsOf(run)).toEqual([
      expect.objectContaining({ traceDbId: first, rating: 'negative', comment: '1 reason' }),
    ])
  })

  it('two concurrent people never rate a trace more often than the run requires', { tags: 'deep' }, async () => {
    const run = await seedRatedRun(app(), 12)
    await setPolicy(run.client, run.path, { ratersPerItem: 1 })
    const people = [await newAnnotator(run), await newAnnotator(run)]
    const pages = await Promise.all(people.map((person) => open(app().url, { person })))
    await Promise.all(
      pages.map(async (page, place) => {
        await page.goto(annotatePath(run))
        await shownTrace(page)
        while ((await page.locator(TRACE).count()) > 0) await pressAndWait(page, place === 0 ? '1' : '2')
      }),
    )
    await Promise.all(pages.map((page) => page.getByText('Saved', { exact: true }).waitFor()))
    const ratings = await ratingsOf(run)
    expect(new Set(ratings.map(({ traceDbId }) => traceDbId)).size).toBe(12)
    expect(ratings).toHaveLength(12)
    expect(new Set(ratings.map(({ userId }) => userId)).size).toBe(2)
  })

  it('in a blind run, a person sees ratings of others only after having rated', async () => {
    const run = await seedRatedRun(app(), 2)
    await setPolicy(run.client, run.path, { ratersPerItem: 2, blind: true })
    const [ada, ben] = [await newAnnotator(run), await newAnnotator(run)]
    const adasPage = await open(app().url, { person: ada })
    await adasPage.goto(annotatePath(run))
    const first = await shownTrace(adasPage)
    await adasPage.keyboard.press('c')
    await adasPage.keyboard.type('Only Ada thinks so')
    await adasPage.keyboard.press('Escape')
    await pressAndWait(adasPage, '2')
    await adasPage.getByText('Saved', { exact: true }).waitFor()

    const bensPage = await open(app().url, { person: ben })
    await bensPage.goto(`${annotatePath(run)}?item=${first}`)
    expect(await shownTrace(bensPage)).toBe(first)
    await bensPage.getByText('Blind: ratings of others are hidden').waitFor()
    expect(await bensPage.content()).not.toContain('Only Ada thinks so')
    expect(await bensPage.getByRole('button', { pressed: true }).count()).toBe(0)
    const seenByBen = async () => (await app().asPerson(ben, run.workspaceId).get(`${run.path}/annotations`)).body.data
    expect(await seenByBen()).toEqual([])
    await pressAndWait(bensPage, '1')
    await expect.poll(seenByBen).toHaveLength(2)
    expect(JSON.stringify(await seenByBen())).toContain('Only Ada thinks so')
  })

  function newAnnotator({ workspaceId }: RatedRun): Promise<Person> {
    return app().newPerson([{ workspaceId, role: 'annotator' }])
  }
})

const TRACE = 'article[data-trace]'

function annotatePath({ workspaceId, componentId, runId }: RatedRun): string {
  return `/a/${workspaceId}/c/${componentId}/runs/${runId}/annotate`
}

async function shownTrace(page: Page): Promise<string> {
  return (await page.locator(TRACE).getAttribute('data-trace')) ?? ''
}

/** Returns the trace that is shown then; an empty text at the end of the queue. */
async function pressAndWait(page: Page, key: string): Promise<string> {
  const before = await shownTrace(page)
  await page.keyboard.press(key)
  await page.locator(`${TRACE}[data-trace="${before}"]`).waitFor({ state: 'detached' })
  await page
    .locator(TRACE)
    .or(page.getByRole('heading', { level: 2 }))
    .first()
    .waitFor()
  return (await page.locator(TRACE).count()) === 0 ? '' : shownTrace(page)
}

type Rated = { traceDbId: string; userId: string; rating: string; comment: string | null }

/** As the owner of the workspace sees them. */
async function ratingsOf({ client, path }: RatedRun): Promise<Rated[]> {
  const { body } = await client.get(`${path}/annotations?limit=100`)
  return (body.data as Rated[]).filter(({ rating }) => Boolean(rating))
}

/** From the press of a key until the browser has painted another trace. */
const MEASURE_PAINTS = `
  let pressedAt, shown
  window.paints = []
  addEventListener('keydown', () => { pressedAt = performance.now() }, true)
  new MutationObserver(() => {
    const trace = document.querySelector('${TRACE}')?.dataset.trace
    if (trace === undefined || trace === shown) return
    shown = trace
    const from = pressedAt
    if (from === undefined) return
    requestAnimationFrame(() => {
      const channel = new MessageChannel()
      channel.port1.onmessage = () => paints.push(performance.now() - from)
      channel.port2.postMessage(0)
    })
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-trace'] })`

/** Printed and not asserted: a busy machine must not fail the test. */
async function printPaints(page: Page): Promise<void> {
  const paints = (await page.evaluate<number[]>('paints')).toSorted((a, b) => a - b)
  const at = (share: number) => `${(paints[Math.ceil(paints.length * share) - 1] ?? 0).toFixed(1)} ms`
  console.log(`next trace painted after: p50 ${at(0.5)}, p95 ${at(0.95)}, worst ${at(1)}, n ${paints.length}`)
}
