// @module-tag deep
/** From two runs to a decision that people without an account can read. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

/** The component of the example data, with the runs of the first two versions of its prompt. */
async function exampleRuns(client: Client) {
  expect((await client.send('POST', '/example-data')).status).toBe(201)
  const [component] = await client.list('/components')
  const [, candidate, baseline] = await client.list(`/components/${component?.id}/runs`)
  return {
    component: String(component?.id),
    runs: { baselineRunId: String(baseline?.id), candidateRunId: String(candidate?.id) },
  }
}

const reportText = (page: Page) => page.locator('main').textContent()

describePages('decisions', (app, open) => {
  it('a decision is recorded, shared, read in a browser without a session, and gone once the link is revoked', async () => {
    const { person, workspaceId } = await newOwner(app(), 'Support')
    const client = app().asPerson(person, workspaceId)
    const { component, runs } = await exampleRuns(client)
    const note = 'Keep the shorter tone, but bring the sources back.'
    const { body } = await client.post(`/components/${component}/decisions`, { ...runs, decision: 'hold', note })
    const { metrics, summary } = Object(body.comparison)

    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/c/${component}/decisions`)
    await page.getByRole('list', { name: 'Decisions' }).getByText(note).waitFor()
    await page.getByRole('link', { name: /^Numbers/ }).click()
    await page.getByRole('button', { name: 'Share…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share this decision' })
    await dialog.getByRole('link', { name: 'general settings' }).click()
    await page.getByRole('checkbox', { name: 'Allow shared links' }).click()
    await page.getByText('Shared links are allowed.').first().waitFor()

    await page.goto(`/a/${workspaceId}/c/${component}/decisions?decision=${body.id}`)
    await page.getByRole('button', { name: 'Share…' }).click()
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const link = (await dialog.getByRole('status', { name: 'Shared link' }).textContent()) ?? ''

    const reader = await open(app().url, { complaints: [/404 GET \/shared\//] })
    await reader.goto(link)
    const text = (await reportText(reader)) ?? ''
    for (const shown of [note, summary, 'Do not release', 'Test Person'].map((one) => String(one).toLowerCase()))
      expect(text.toLowerCase()).toContain(shown)
    const titles = ['rating', 'error', 'duration in ms', 'cost in $', 'tokens']
    expect(metrics).toHaveLength(titles.length)
    for (const title of titles) expect(text).toContain(title)
    expect(await reader.locator('svg').count()).toBeGreaterThan(2)
    expect(await reader.locator('script, a, img, form, iframe').count()).toBe(0)
    expect(await reader.context().cookies()).toEqual([])
    // The style was applied, so its hash is right.
    expect(await reader.evaluate('getComputedStyle(document.querySelector("main")).maxWidth')).toBe('960px')

    await page.reload()
    await page.getByRole('button', { name: 'Share…' }).click()
    await dialog.getByText(/opened 1 time/).waitFor()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByText(/revoked/).waitFor()
    await reader.reload()
    await reader.getByRole('heading', { name: 'This report is not available' }).waitFor()
    expect(await reportText(reader)).not.toContain(note)
  })

  it('the report is downloaded as one file', async () => {
    const { person, workspaceId } = await newOwner(app(), 'Support')
    const client = app().asPerson(person, workspaceId)
    const { component, runs } = await exampleRuns(client)
    const decisionId = await client.create(`/components/${component}/decisions`, { ...runs, decision: 'release' })
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/c/${component}/decisions?decision=${decisionId}`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download report' }).click()
    const file = readFileSync(await (await download).path(), 'utf8')
    const { text } = await client.get(`/components/${component}/decisions/${decisionId}/report`)
    expect(file).toBe(text)
    expect((await download).suggestedFilename()).toMatch(/^comparison[a-z0-9-]*\.html$/)
  })

  it('hostile names and notes are text in the list, next to it and in a shared report', async () => {
    const { person, workspaceId } = await newOwner(app(), 'Support')
    const client = app().asPerson(person, workspaceId)
    const { component, runs } = await exampleRuns(client)
    const at = `/components/${component}`
    const note = HOSTILE_TEXTS.join('\n').slice(0, 5_000)
    const [name = ''] = HOSTILE_TEXTS
    await client.patch(`${at}/runs/${runs.candidateRunId}`, { name: `${name}${HOSTILE_TEXTS[6]}` })
    await client.patch(`${at}/runs/${runs.candidateRunId}/metadata`, { metadata: { [name]: HOSTILE_TEXTS[3] } })
    const decisionId = await client.create(`${at}/decisions`, { ...runs, decision: 'hold', note })
    await client.patch('/sharing', { linksAllowed: true })
    const { body } = await client.post(`${at}/decisions/${decisionId}/links`, { expiresInDays: 1 })
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/c/${component}/decisions?decision=${decisionId}`)
    await page.getByRole('complementary', { name: 'Decision' }).getByText('What changed').waitFor()
    expect(await page.getByRole('main').textContent()).toContain(note)
    const reader = await open(app().url)
    await reader.goto(String(body.url))
    expect(await reportText(reader)).toContain(note)
    for (const shown of [page.getByRole('main'), reader.locator('main')])
      expect(
        await shown.locator('script, iframe, object, embed, img, video, base, link, meta, style, math').count(),
      ).toBe(0)
  })
})
