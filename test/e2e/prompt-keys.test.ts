// @module-tag deep
/** The pages of prompts by their keys, and what `?` says of them. */
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../harness/model-server.ts'
import type { TestApp } from '../harness/test-app.ts'
import { describePages, newOwner } from './describe-pages.ts'

describePages('prompts by keys', (app, open) => {
  it('are found, opened, compared, tried, saved and deployed without a mouse, and each page lists its own keys', async () => {
    let isBroken = true
    const provider = await startModelServer({
      answer: ({ user }) => `Answer to ${user}`,
      misbehaviour: ({ user }) => (isBroken && user.includes('Kindly') ? { status: 400 } : undefined),
    })
    onTestFinished(() => provider.close())
    const { person, prompts, path, client } = await seedPrompts(app(), provider.baseUrl)
    const page = await open(app().url, { person })

    await page.goto(prompts)
    await page.getByRole('link', { name: 'summary', exact: true }).first().waitFor()
    expect(await listedKeys(page)).toEqual(
      expect.arrayContaining([
        'Find a prompt',
        'New prompt',
        'Next prompt',
        'Previous prompt',
        'Try in the playground',
      ]),
    )
    await page.keyboard.press('/')
    await page.keyboard.type('ans')
    await page.getByRole('link', { name: 'summary', exact: true }).first().waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('')
    await page.keyboard.press('Escape')
    for (const [key, name] of [
      ['j', 'answer'],
      ['j', 'summary'],
      ['k', 'answer'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('link', { name, exact: true }).and(page.locator(':focus')).waitFor()
    }
    await page.keyboard.press('n')
    await page.getByRole('dialog', { name: 'New prompt' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')

    await page.getByRole('textbox', { name: /^Text of message 1/ }).waitFor()
    expect(await listedKeys(page)).toEqual(
      expect.arrayContaining([
        'Older version',
        'Show or hide what differs',
        'Deploy a version',
        'Try in the playground',
      ]),
    )
    await page.keyboard.press('[')
    await page.waitForURL(/version=1$/)
    await page.keyboard.press(']')
    await page.waitForURL(/version=2$/)
    await page.keyboard.press('d')
    await page.waitForURL(/view=diff/)
    await page.keyboard.press('d')
    await page.getByRole('textbox', { name: /^Text of message 1/ }).press('End')
    await page.keyboard.type(' Be brief.')
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Save v3', exact: true }).click()
    await page.getByText('Saved as v3.', { exact: true }).waitFor()
    expect((await client.get(`${path}/versions/3`)).status).toBe(200)

    // The focus is in the text again, as before the dialog.
    await page.getByRole('button', { name: /^Deploy v3/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('m')
    await page.getByRole('heading', { name: 'Let production serve v3' }).waitFor()
    await page.getByRole('button', { name: 'Let production serve v3' }).waitFor()
    expect(await listedKeys(page)).toEqual(expect.arrayContaining(['Move the label', 'Close']))
    await page.keyboard.press('Control+Enter')
    await page.getByText('Production serves v3.').first().waitFor()

    await page.keyboard.press('p')
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    await page.goto(`${page.url().split('?')[0]}?versions=1,2`)
    await page.getByRole('textbox', { name: 'question, row 1' }).fill('Why?')
    await page.getByRole('combobox', { name: 'Version of column 1' }).focus()
    await page.keyboard.press('Control+Shift+Enter')
    await page.getByText('1 of 2').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('1 failed').first().waitFor()
    // A list takes letters itself.
    await page.getByRole('button', { name: 'More about v1' }).focus()
    expect(await listedKeys(page)).toEqual(
      expect.arrayContaining(['Run all', 'Run the column', 'Retry what failed', 'Show or hide what differs']),
    )
    isBroken = false
    await page.keyboard.press('r')
    await page.getByText('2 of 2').waitFor()
    await page.keyboard.press('d')
    await page.waitForURL(/diff=on/)
  })
})

/** What `?` lists. */
async function listedKeys(page: Page): Promise<string[]> {
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.waitFor()
  const labels = await sheet.getByRole('term').allTextContents()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  return labels
}

/** Two prompts, the first of which has two versions. */
async function seedPrompts(app: TestApp, baseUrl: string) {
  const { person, workspaceId, client } = await newOwner(app)
  const connection = { name: 'models', baseUrl, models: ['model-1'], concurrency: 10 }
  await app.asPerson(person, workspaceId).create('/connections', connection)
  const component = await client.create('/components', { name: 'assistant' })
  const list = `/components/${component}/prompts`
  // The newest one is first.
  const [, answer] = [await client.create(list, { name: 'summary' }), await client.create(list, { name: 'answer' })]
  const path = `${list}/${answer}`
  for (const rule of ['Answer.', 'Kindly answer.']) {
    const messages = [{ role: 'user', content: `${rule} {{question}}` }]
    await client.post(`${path}/versions`, { content: { messages, provider: 'models' } })
  }
  return { person, client, path, prompts: `/a/${workspaceId}/c/${component}/prompts` }
}
