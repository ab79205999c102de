import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describePages, newOwner } from './describe-pages.ts'

const ITEMS = 10_000
const NODES_MAX = 1_500

describePages('datasets', (app, open) => {
  it('a dataset is created, filled by hand and from traces, edited in place, split, searched and checked', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const component = await client.create('/components', { name: 'assistant' })
    await sendTraces(client, component)
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/c/${component}/datasets`)
    await page.getByRole('button', { name: 'New dataset' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('golden answers')
    await page.getByRole('button', { name: 'Create dataset' }).click()
    await page.getByRole('heading', { name: 'No item yet' }).waitFor()

    await page.getByRole('button', { name: 'Write one by hand' }).click()
    await page.getByRole('textbox', { name: 'Question' }).fill('Do you ship to Norway?')
    await page.getByRole('textbox', { name: 'Expected' }).fill('No')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const grid = page.getByRole('grid', { name: 'Items' })
    await grid.getByText('Do you ship to Norway?').waitFor()

    await page.getByRole('button', { name: 'Add items' }).click()
    await page.getByRole('menuitem', { name: 'From traces by a query…' }).click()
    await page.getByText('3 traces match.').waitFor()
    await page.getByRole('button', { name: 'Add up to 3' }).click()
    await page.getByText('4 of 4 loaded').waitFor()

    // In place: by the keyboard alone.
    await page.getByRole('combobox', { name: 'Order' }).selectOption('oldest')
    await grid.getByRole('row', { name: /Norway/ }).click()
    await page
      .getByRole('complementary', { name: 'Item' })
      .getByRole('heading', { name: /Results/ })
      .waitFor()
    await page.keyboard.press('Enter')
    const editor = page.getByRole('textbox', { name: 'Question of item 1' })
    await editor.fill('Do you ship helmets to Norway?')
    await page.keyboard.press('Tab')
    await page.getByRole('textbox', { name: 'Expected of item 1' }).fill('Yes')
    await page.keyboard.press('Enter')
    await grid.getByText('Do you ship helmets to Norway?').waitFor()
    await grid.getByText('Yes', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await grid.getByText('No', { exact: true }).waitFor()
    await page.getByRole('complementary', { name: 'Item' }).getByRole('button', { name: 'Close' }).click()

    await page.getByRole('combobox', { name: 'Split of item 1' }).selectOption('test')
    await page.getByRole('button', { name: 'test 1' }).click()
    await page.getByText('1 of 1 loaded').waitFor()
    await page.getByRole('button', { name: 'all 4' }).click()

    await page.keyboard.press('/')
    await page.keyboard.type('helmet size 2')
    await page.getByText('1 of 1 loaded').waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('helmet size 2')
    await page.reload()
    await page.getByText('1 of 1 loaded').waitFor()
    await page.getByRole('searchbox').fill('')

    // The three traces have no expected output.
    await page.getByRole('button', { name: 'nothing expected 3' }).click()
    await page.getByText('3 of 3 loaded').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click()
    expect((await download).suggestedFilename()).toBe('golden-answers.csv')
  })

  it('has few elements at 10,000 items, wherever it is scrolled', { tags: 'deep' }, async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const component = await client.create('/components', { name: 'assistant' })
    const dataset = await client.create(`/components/${component}/datasets`, { name: 'large' })
    const lines = Array.from({ length: ITEMS }, (_, place) =>
      JSON.stringify({ input: `q${place}`, expected: `${place}` }),
    )
    const sent = { body: lines.join('\n'), headers: { 'content-type': 'application/jsonl' } }
    const { status } = await client.send('POST', `/components/${component}/datasets/${dataset}/import`, sent)
    expect(status).toBe(200)
    const page = await open(app().url, { person })
    await page.setViewportSize({ width: 1920, height: 1080 })
    await page.goto(`/a/${workspaceId}/c/${component}/datasets/${dataset}?sort=oldest`)
    await page.getByText('100 of 10,000 loaded').waitFor()
    for (const loaded of [200, 300, 400, 500]) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await page.getByText(`${loaded} of 10,000 loaded`).waitFor()
      expect(await page.locator('*').count(), `elements after ${loaded}`).toBeLessThanOrEqual(NODES_MAX)
    }
    await page.getByRole('searchbox').fill('q9999')
    await page.getByRole('grid', { name: 'Items' }).getByText('q9999').waitFor()
  })
})

async function sendTraces(client: Client, component: string): Promise<void> {
  const traces = [1, 2, 3].map((number) => ({
    traceId: `helmet-${number}`,
    input: `Is helmet size ${number} in stock?`,
    output: 'Yes',
    startTime: '2026-11-14T09:30:00.000Z',
    endTime: '2026-11-14T09:30:01.000Z',
  }))
  expect((await client.post(`/components/${component}/traces`, { traces })).status).toBe(201)
}
