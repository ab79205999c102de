// @module-tag deep
/** The annotation page and My work in their states. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type RatedRun, seedRatedRun, setPolicy } from '../annotations/rated-run.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import type { Person } from '../harness/test-app.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

type Visit = { name: string; as?: 'viewer'; path: (run: RatedRun) => string; prepare: (page: Page) => Promise<unknown> }

const VISITS: Visit[] = [
  { name: 'work', path: workPath, prepare: (page) => page.getByRole('link', { name: /^Annotate / }).waitFor() },
  { name: 'work-as-viewer', as: 'viewer', path: workPath, prepare: (page) => seeHeading(page, 'Not for your role') },
  { name: 'annotate', path: annotatePath, prepare: openParts },
  { name: 'annotate-rules', path: annotatePath, prepare: openRules },
  { name: 'annotate-rejected', path: annotatePath, prepare: rateInVain },
  { name: 'annotate-end', path: annotatePath, prepare: rateAll },
  {
    name: 'annotate-as-viewer',
    as: 'viewer',
    path: annotatePath,
    prepare: (page) => seeHeading(page, 'Not for your role'),
  },
  { name: 'work-none', path: workPath, prepare: (page) => seeHeading(page, 'Nothing waits for you') },
]

describePages('annotation pages', (app, open) => {
  let run: RatedRun | undefined
  let people: { annotator: Person; viewer: Person } | undefined
  beforeAll(async () => {
    run = await seedRatedRun(app(), 2, { expected: 'Answer 0, and no other' })
    await setPolicy(run.client, run.path, { ratersPerItem: 1, blind: true })
    const { workspaceId } = run
    people = {
      annotator: await app().newPerson([{ workspaceId, role: 'editor' }]),
      viewer: await app().newPerson([{ workspaceId, role: 'viewer' }]),
    }
  })

  it.each(VISITS)('$name is accessible at every width, light and dark', async ({ name, as, path, prepare }) => {
    if (!run || !people) throw new Error('the run exists only while a test does')
    const person = people[as ?? 'annotator']
    const complaints = [/^answer: 400 POST .*\/annotations$/]
    const page = await open(app().url, { person, complaints, isShared: true })
    await page.goto(path(run))
    await prepare(page)
    await expectAccessible(page, name)
  })

  it('rates and undoes by touch on a small screen: every button of the bar is 44 px high', async () => {
    const small = await seedRatedRun(app(), 2)
    const person = await app().newPerson([{ workspaceId: small.workspaceId, role: 'annotator' }])
    const page = await open(app().url, { person })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(annotatePath(small))
    const bar = page.locator('footer')
    await bar.getByRole('button', { name: 'positive' }).waitFor()
    for (const button of await bar.getByRole('button').all())
      expect((await button.boundingBox())?.height, (await button.textContent()) ?? '').toBeGreaterThanOrEqual(44)
    await bar.getByRole('button', { name: 'negative' }).click()
    await page.getByText('Rated negative').waitFor()
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Rated negative').waitFor({ state: 'detached' })
    await page.getByText('0 of 2 rated, 2 left').waitFor()
  })

  // The harness checks after each test that nothing runs, opens a dialog, loads or breaks the content policy.
  it('hostile text in questions, answers, comments and ratings is shown, and does nothing', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const text = HOSTILE_TEXTS.join('\n\n')
    const traceIds = [1, 2].map(traceIdOf)
    await sendSpans(
      client,
      traceIds.map((traceId) => ({
        traceId,
        spanId: spanIdOf(1),
        attributes: { 'touchstone.input': text, 'touchstone.output': text },
      })),
    )
    const ratings = HOSTILE_TEXTS.map((value, score) => ({ value, score }))
    await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
    const componentId = await client.create('/components', { name: 'Hostile' })
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: text.slice(0, 200) })
    const runId = await client.create(`/components/${componentId}/runs`, { datasetId, traceIds })
    const page = await open(app().url, { person })
    await page.goto(annotatePath({ workspaceId, componentId, runId }))
    await seeHeading(page, 'Answer')
    expect(await page.getByRole('group', { name: 'Rating' }).locator('bdi').allTextContents()).toEqual(HOSTILE_TEXTS)
    await page.getByRole('textbox', { name: 'Comment' }).fill(text)
    await page.keyboard.press('Escape')
    await page.keyboard.press('1')
    await page.getByText('1 of 2 rated, 1 left').waitFor()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe(text)
    expect(await page.locator('main img, main iframe, main script, main object').count()).toBe(0)
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
  })
})

function workPath({ workspaceId }: RatedRun): string {
  return `/a/${workspaceId}/work`
}

function annotatePath({
  workspaceId,
  componentId,
  runId,
}: Omit<RatedRun, 'client' | 'datasetId' | 'path' | 'traces'>): string {
  return `/a/${workspaceId}/c/${componentId}/runs/${runId}/annotate`
}

async function seeHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name }).waitFor()
}

async function openParts(page: Page): Promise<void> {
  await seeHeading(page, 'Question')
  await page.keyboard.press('x')
  await page.keyboard.press('w')
  await page.getByRole('textbox', { name: 'A better answer' }).waitFor()
}

async function openRules(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Rules of this run' }).click()
  await page.getByRole('menuitem', { name: 'Change the rules…' }).click()
  await page.getByRole('dialog').getByText('Allowed ratings').waitFor()
}

async function rateInVain(page: Page): Promise<void> {
  await seeHeading(page, 'Question')
  const body = { error: 'The rating must be one of good, bad' }
  await page.route('**/annotations', (route) => route.fulfill({ status: 400, json: body }), { times: 1 })
  await page.keyboard.press('1')
  await page.getByText('A rating was not saved').waitFor()
}

async function rateAll(page: Page): Promise<void> {
  for (let left = 2; left > 0; left -= 1) {
    await page.getByText(`, ${left} left`).waitFor()
    await page.keyboard.press('1')
  }
  await seeHeading(page, 'All rated')
}
