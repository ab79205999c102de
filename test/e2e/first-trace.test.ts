/** From the link that the server prints to the first trace on the screen, and the next ones in an open list. */
import { expect, it } from 'vitest'
import { describeInBrowser } from '../harness/browser.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { paste } from '../harness/shell.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { startInstallation } from './installation.ts'

describeInBrowser('a newcomer', (open) => {
  it('gets from the set-up link to the first trace on the screen with five clicks and one paste', async () => {
    await using installation = await startInstallation('sqlite')
    const page = await open(installation.url)
    let clicks = 0
    const click = async (role: 'button' | 'tab' | 'link', name: string) => {
      clicks += 1
      await page.getByRole(role, { name }).click()
    }
    await page.goto(installation.setupLink)
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace')
    await page.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await click('button', 'Create account')
    await page.getByRole('heading', { name: 'Waiting for a trace…' }).waitFor()
    await click('button', 'Create a key')
    await page.getByText('The key is shown once.').waitFor()
    await click('tab', 'curl')
    // With the key in it, which is the longest.
    const cut = '[...document.querySelectorAll("pre")].filter((code) => code.scrollWidth > code.clientWidth).length'
    expect(await page.evaluate(cut), 'snippets that run out of their box').toBe(0)
    await click('button', 'Copy curl code')
    const { errors } = await paste('bash', [await page.evaluate<string>('navigator.clipboard.readText()')])
    expect(errors).toBe('')
    await page.getByRole('heading', { name: 'Your first trace has arrived' }).waitFor()
    await click('link', 'Open the trace')
    await page.getByRole('heading', { name: 'Greet the world.' }).waitFor()
    await page.getByText('Hello, world!').first().waitFor()
    expect(clicks).toBe(5)
    // Before the server ends, which the page would report.
    await page.close()
  })
})

describePages('an open list of traces', (app, open) => {
  it('counts a trace that arrives, and moves no row until the user shows it', { tags: 'deep' }, async () => {
    const { client, workspaceId, person } = await newOwner(app())
    const send = (number: number) =>
      sendSpans(client, [
        {
          traceId: traceIdOf(0x1_0000 + number),
          spanId: spanIdOf(1),
          start: Date.now(),
          attributes: { 'input.value': `question ${number}` },
        },
      ])
    for (const number of [1, 2, 3]) await send(number)
    const page = await open(app().url, { person })
    const { promise: measured, resolve: letChartLoad } = Promise.withResolvers<void>()
    await page.route('**/api/v1/traces/series**', (request) => measured.then(() => request.continue()))
    await page.goto(`/a/${workspaceId}/traces`)
    const row = page.getByRole('row', { name: /question 2/ })
    await row.hover()
    const before = await row.boundingBox()
    letChartLoad()
    await page.getByRole('button', { name: /^Show as table/ }).waitFor()
    expect(await row.boundingBox(), 'after the chart above has loaded').toEqual(before)
    const startedAt = performance.now()
    await send(4)
    await page.getByRole('button', { name: '1 new' }).waitFor()
    process.stdout.write(`a trace was counted ${Math.round(performance.now() - startedAt)} ms after it was sent\n`)
    expect(await row.boundingBox()).toEqual(before)
    expect(await page.getByText('question 4').count()).toBe(0)
    await page.getByRole('button', { name: '1 new' }).click()
    await page.getByRole('row', { name: /question 4/ }).waitFor()
  })
})
