// @module-tag deep
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

const HOUR_MS = 3_600_000

describePages('runs', (app, open) => {
  it('are listed, compared, extended by a query and described; trends mark the new version', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const { component, runs } = await seedRuns(client)
    await seedVersions(client)
    const page = await open(app().url, { person })
    await page.setViewportSize({ width: 1440, height: 900 })
    const base = `/a/${workspaceId}/c/${component}`

    await page.goto(`${base}/runs`)
    for (const name of ['v1', 'v2']) await rowOf(page, name).getByRole('checkbox').check()
    await page.keyboard.press('c')
    await page.waitForURL((url) => url.pathname === `${base}/compare`)
    const query = new URL(page.url()).searchParams
    expect([query.get('base'), query.getAll('cand')]).toEqual([runs.v1, [runs.v2]])

    await page.goto(`${base}/runs/${runs.v2}`)
    await rowOf(page, 'question 0').getByText('3 repetitions').waitFor()
    await page.keyboard.press('j')
    const panel = page.getByRole('complementary', { name: 'Case' })
    await panel.getByText('answer 0.0').waitFor()
    await panel.getByText('3', { exact: true }).click()
    await panel.getByText('answer 0.2').waitFor()
    await page.reload()
    await panel.getByText('answer 0.2').waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'More about this run' }).click()
    await page.getByRole('menuitem', { name: 'Add traces by query…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add traces to the run' })
    await dialog.getByRole('combobox', { name: 'Query' }).fill('name:extra')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Add 2 traces' }).click()
    await page.getByText('Added 2 traces to the run.').first().waitFor()
    await page.getByRole('button', { name: 'Without item 2' }).click()
    await rowOf(page, 'an extra question').first().waitFor()

    await page.getByRole('button', { name: 'Edit metadata' }).click()
    await page.getByRole('textbox', { name: 'Value of prompt' }).fill('v2-final')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'About this run' }).getByText('v2-final').waitFor()

    await page.goto(`${base}/trends?period=24h`)
    const marks = page.getByRole('figure', { name: 'Error rate' }).getByRole('list', { name: 'Changes of the version' })
    await marks.getByRole('link', { name: /^2\.0 service\.version 1\.0 → 2\.0/ }).click()
    await page.waitForURL((url) => url.pathname === `/a/${workspaceId}/traces`)
    await page.getByText(/^2 /).first().waitFor()
  })

  it('with hostile texts are shown as text, in the list, in cases and in trends', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const component = await client.create('/components', { name: 'hostile' })
    const path = `/components/${component}`
    const datasetId = await client.create(`${path}/datasets`, { name: HOSTILE_TEXTS[0] })
    const items = HOSTILE_TEXTS.map((text) => ({ input: text, expected: text }))
    const { body } = await client.post(`${path}/datasets/${datasetId}/items`, items)
    const itemIds: string[] = Object(body.data).map(({ id }: { id: string }) => id)
    let runId = ''
    for (const [number, name] of HOSTILE_TEXTS.slice(0, 8).entries()) {
      runId = await client.create(`${path}/runs`, { datasetId, name })
      const metadata = { prompt: name, [`key ${number}`]: name }
      expect((await client.send('PATCH', `${path}/runs/${runId}/metadata`, { body: { metadata } })).status).toBe(200)
    }
    const traces = HOSTILE_TEXTS.map((output, number) => ({
      traceId: traceIdOf(900 + number),
      run: HOSTILE_TEXTS[7],
      itemId: itemIds[number],
      output,
    }))
    expect((await client.post(`${path}/traces`, { traces })).status).toBe(201)
    const page = await open(app().url, { person })
    await page.setViewportSize({ width: 1440, height: 900 })
    const base = `/a/${workspaceId}/c/${component}`
    await page.goto(`${base}/runs`)
    const links = page.getByRole('grid', { name: 'Runs' }).getByRole('link')
    await links.first().waitFor()
    expect((await links.allTextContents()).toSorted()).toEqual(HOSTILE_TEXTS.slice(0, 8).toSorted())
    await expectNothingInjected(page)
    await page.goto(`${base}/runs/${runId}`)
    await page.getByRole('grid', { name: 'Cases' }).getByRole('row').nth(3).click()
    await page.getByRole('region', { name: 'Case, details' }).getByText('Answer').waitFor()
    await expectNothingInjected(page)
    await page.goto(`${base}/trends`)
    await page.getByText('No evaluation was completed in this period.').waitFor()
    await expectNothingInjected(page)
  })
})

function rowOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text })
}

/** No element that only a text could have brought. */
async function expectNothingInjected(page: Page): Promise<void> {
  const main = page.getByRole('main')
  expect(await main.locator('script, iframe, object, embed, img, video, base, link, meta, style, math').count()).toBe(0)
  expect(await page.evaluate(TOO_WIDE)).toEqual([])
}

/** The elements that make the page wider than the window. */
const TOO_WIDE = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('main *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.tagName + ' ' + element.className)
    .slice(0, 20)`

/** Run v1 has each item once, v2 the first item three times. */
async function seedRuns(client: Client) {
  const component = await client.create('/components', { name: 'assistant' })
  const path = `/components/${component}`
  const datasetId = await client.create(`${path}/datasets`, { name: 'golden' })
  const items = Array.from({ length: 5 }, (_, number) => ({ input: `question ${number}`, expected: 'an answer' }))
  const { body } = await client.post(`${path}/datasets/${datasetId}/items`, items)
  const itemIds: string[] = Object(body.data).map(({ id }: { id: string }) => id)
  const runs: Record<string, string> = {}
  for (const [place, name] of ['v1', 'v2'].entries()) {
    runs[name] = await client.create(`${path}/runs`, { datasetId, name })
    const traces = itemIds.flatMap((itemId, number) =>
      Array.from({ length: place === 1 && number === 0 ? 3 : 1 }, (_, repetition) => ({
        traceId: traceIdOf(100 * (place + 1) + number * 10 + repetition),
        run: name,
        itemId,
        output: `answer ${number}.${repetition}`,
      })),
    )
    expect((await client.post(`${path}/traces`, { traces })).status).toBe(201)
  }
  const extra = [1, 2].map((number) => ({
    traceId: traceIdOf(700 + number),
    spanId: spanIdOf(1),
    name: 'extra',
    attributes: { 'touchstone.input': `an extra question ${number}`, 'touchstone.output': 'none' },
  }))
  await sendSpans(client, extra)
  return { component, runs: { v1: runs['v1'], v2: runs['v2'] } }
}

/** Traces of two versions of the service, the newer one an hour ago. */
async function seedVersions(client: Client): Promise<void> {
  for (const [place, version] of ['1.0', '2.0'].entries()) {
    const spans = [1, 2].map((number) => ({
      traceId: traceIdOf(800 + 10 * place + number),
      spanId: spanIdOf(1),
      name: 'turn',
      start: Date.now() - (2 - place) * 3 * HOUR_MS + number * 60_000,
      attributes: { 'touchstone.component': 'assistant' },
    }))
    await sendSpans(client, spans, { 'service.version': version })
  }
}
