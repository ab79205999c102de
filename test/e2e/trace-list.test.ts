// @module-tag deep
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { sendSpans } from '../harness/otlp-json.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'

const TRACES = 2_000
const NODES_MAX = 1_500

describePages('list of traces', (app, open) => {
  it('has few elements wherever it is scrolled, and back returns to the same rows and trace', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    await seedTraces(client)
    const page = await open(app().url, { person })
    await page.setViewportSize({ width: 1920, height: 1080 })
    await page.goto(`/a/${workspaceId}/traces`)
    const grid = page.getByRole('region', { name: 'Traces', exact: true })
    const row = (number: number) => page.locator(`tr[aria-rowindex="${number + 1}"]`)
    await row(1).waitFor()
    // Page after page, as a user who scrolls to the end.
    for (let reached = 0; reached < TRACES; ) {
      const scrollOn = async () => {
        await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight))
        return Number(await page.locator('tr[aria-rowindex]').last().getAttribute('aria-rowindex')) - 1
      }
      const former = reached
      await expect.poll(async () => (reached = await scrollOn())).toBeGreaterThan(former)
      expect(await page.locator('*').count(), `elements at row ${reached}`).toBeLessThanOrEqual(NODES_MAX)
    }

    const top = await grid.evaluate((element) => {
      element.scrollTo(0, element.scrollHeight / 2)
      return element.scrollTop
    })
    await row(1_010).click()
    await page.getByRole('complementary', { name: 'Trace' }).getByRole('link', { name: 'Open' }).click()
    await page.getByRole('tree', { name: 'Spans' }).waitFor()
    await page.goBack()
    await row(1_010).waitFor()
    expect(await grid.evaluate((element) => element.scrollTop)).toBe(top)
    expect(await row(1_010).getAttribute('aria-current')).toBe('true')
    await page.getByRole('complementary', { name: 'Trace' }).getByRole('heading', { level: 1 }).waitFor()
  })

  it('suggestions, help, views, columns and the dialog for datasets are accessible', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    await sendSpans(client, [spanOf(1)])
    await client.create('/components', { name: 'assistant' })
    await app()
      .asPerson(person, workspaceId)
      .create('/views', { name: 'Failures', query: 'status:error', shared: true })
    const page = await open(app().url, { person })
    for (const [name, show] of Object.entries(openStates)) {
      await page.goto(`/a/${workspaceId}/traces`)
      await page.getByText('1 in all').waitFor()
      await show(page)
      await expectAccessible(page, `traces-${name}`)
    }
  })
})

const openStates: Record<string, (page: Page) => Promise<unknown>> = {
  fields: async (page) => {
    await page.getByRole('combobox', { name: 'Query' }).click()
    await page.getByRole('listbox').waitFor()
  },
  values: async (page) => {
    await page.getByRole('combobox', { name: 'Query' }).fill('-tag:x kind:')
    await page.getByRole('option', { name: /llm/ }).waitFor()
    await page.keyboard.press('ArrowDown')
  },
  help: async (page) => {
    await page.getByRole('button', { name: 'Help with queries' }).click()
    await page.getByRole('dialog', { name: 'Help with queries' }).waitFor()
  },
  views: async (page) => {
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitemradio', { name: /Failures/ }).click()
    await page.getByRole('button', { name: 'Failures' }).click()
    await page.getByRole('menuitem', { name: 'Rename or share…' }).waitFor()
  },
  'save-view': async (page) => {
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view…' }).click()
    await page.getByRole('dialog').waitFor()
  },
  'add-all': async (page) => {
    await page.getByRole('button', { name: 'Add all to dataset' }).click()
    await page.getByRole('textbox', { name: 'Name of the new dataset' }).waitFor()
  },
  columns: async (page) => {
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('radio', { name: 'One line' }).waitFor()
  },
}

function spanOf(number: number) {
  return {
    traceId: String(number).padStart(32, '0'),
    spanId: String(number).padStart(16, '0'),
    name: 'turn',
    attributes: {
      'touchstone.kind': 'llm',
      'touchstone.input': `question ${number}`,
      'touchstone.output': `answer ${number}`,
    },
  }
}

async function seedTraces(client: Client): Promise<void> {
  await sendSpans(
    client,
    Array.from({ length: TRACES }, (_, index) => spanOf(index + 1)),
  )
}
