/** A small trial of two versions of a prompt, from the set-up to the page of the finished trial. */
import { expect, it } from 'vitest'
import { startModelServer } from '../harness/model-server.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'

const ITEMS = 30

describePages('trial', (app, open) => {
  it('is set up, runs, and leads to its comparison without a reload', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    await using server = await startedModel()
    const admin = app().asPerson(person, workspaceId)
    await admin.create('/connections', { name: 'models', baseUrl: server.baseUrl, models: ['model-1'] })
    const component = await client.create('/components', { name: 'assistant' })
    const below = `/components/${component}`
    const datasetId = await client.create(`${below}/datasets`, { name: 'Support questions' })
    const items = Array.from({ length: ITEMS }, (_, place) => ({
      input: JSON.stringify({ question: `Where is order ${place}?` }),
      expected: 'briefly',
    }))
    await client.post(`${below}/datasets/${datasetId}/items`, items)
    const promptId = await client.create(`${below}/prompts`, { name: 'answer' })
    for (const text of ['Answer: {{question}}', 'Answer briefly: {{question}}']) {
      const content = { messages: [{ role: 'user', content: text }], provider: 'models', model: 'model-1' }
      expect((await client.post(`${below}/prompts/${promptId}/versions`, { content })).status).toBe(201)
    }

    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/c/${component}/runs`)
    await page.evaluate('window.isSamePage = true')
    await page.getByRole('navigation', { name: 'Runs and trials' }).getByRole('link', { name: 'Trials' }).click()
    await page.getByRole('heading', { name: 'No trial yet' }).waitFor()
    await expectAccessible(page, 'trials-none')
    await page.getByRole('link', { name: 'New trial' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Brief against plain')
    await page.getByRole('checkbox', { name: /^v1/ }).check()
    await page.getByRole('checkbox', { name: /^v2/ }).check()
    await page.getByRole('checkbox', { name: /Contains/ }).check()
    const summary = page.getByRole('complementary', { name: 'What it costs and shows' })
    await summary.getByText(`${2 * ITEMS} calls`).waitFor()
    await expectAccessible(page, 'new-trial')
    await summary.getByRole('button', { name: /^Start trial/ }).click()

    await page.getByRole('heading', { level: 1, name: 'Brief against plain' }).waitFor()
    await page.getByRole('heading', { name: 'v2 is better than v1.' }).waitFor()
    const progress = await page.getByRole('region', { name: 'Progress' }).textContent()
    expect(progress).toContain(`${2 * ITEMS} of ${2 * ITEMS}`)
    await expectAccessible(page, 'trial-done')
    // Words for screen readers in a list that scrolls must not make the page longer.
    expect(
      await page.evaluate(
        `document.documentElement.scrollHeight - document.querySelector('main').getBoundingClientRect().bottom - scrollY`,
      ),
    ).toBeLessThan(1)
    await page.keyboard.press('c')
    await page.waitForURL(/\/compare\?base=/)
    expect(await page.evaluate('window.isSamePage')).toBe(true)
    const [trial] = await client.list(`${below}/trials`)
    expect(trial).toMatchObject({ name: 'Brief against plain', status: 'completed', calls: 2 * ITEMS })
  })
})

/** It answers with the words of the prompt. */
async function startedModel() {
  const server = await startModelServer({ answer: ({ user }) => user })
  return { baseUrl: server.baseUrl, [Symbol.asyncDispose]: () => server.close() }
}
