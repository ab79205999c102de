// @module-tag deep
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startModelServer } from '../harness/model-server.ts'
import { describePages, newOwner } from './describe-pages.ts'

/** While required options are missing, the server rejects the dry run. */
const INVALID_YET = [/^answer: 400 POST \/api\/v1\/components\/[^/]+\/evaluations$/]
const GROUNDED = 'Every statement of the answer is in a passage.'

describePages('a new evaluation', (app, open) => {
  async function seed() {
    const owner = await newOwner(app(), 'Support')
    const { client, person, workspaceId } = owner
    const session = app().asPerson(person, workspaceId)
    const server = await startModelServer({
      answer: ({ user }) => ({
        reason: `It was asked about ${/Question \d+/.exec(user)?.[0]}.`,
        passed: !/ 1\b/.test(user),
      }),
    })
    await session.create('/connections', { name: 'Local', baseUrl: server.baseUrl, models: ['judge-1'] })
    await session.create('/prices', { modelPattern: 'judge-1', inputPerMillion: 1, outputPerMillion: 1 })
    const component = await client.create('/components', { name: 'Answer agent' })
    const below = `/components/${component}`
    const datasetId = await client.create(`${below}/datasets`, { name: 'Questions' })
    const items = Array.from({ length: 40 }, (_, place) => ({
      input: `Question ${place}`,
      expected: `Answer ${place}`,
    }))
    const { body } = await client.post(`${below}/datasets/${datasetId}/items`, items)
    const itemIds = [body.data].flat().map((item) => String(Object(item).id))
    for (const name of ['Prompt v6', 'Prompt v7']) {
      await client.create(`${below}/runs`, { datasetId, name })
      const traces = itemIds.map((itemId, place) => {
        const traceId = `${name.slice(-2)}-${String(place).padStart(2, '0')}`
        return { traceId, run: name, itemId, input: `Question ${place}`, output: `Answer ${place}` }
      })
      await client.post(`${below}/traces`, { traces })
    }
    return { ...owner, below, server, path: `/a/${workspaceId}/c/${component}` }
  }

  it('is chosen, tried on three cases, given a gate, started, and lands on its own address', async () => {
    const { person, client, below, path, server } = await seed()
    const page = await open(app().url, { person, complaints: INVALID_YET })
    await page.goto(path)
    await page.getByRole('button', { name: /^Evaluate Prompt v7/ }).click()
    await page.getByRole('heading', { name: 'New evaluation' }).waitFor()
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'Prompt v6' })
    await page.getByRole('checkbox', { name: /^Same as expected/ }).check()
    await page.getByRole('checkbox', { name: /^Your own judge/ }).check()
    const judge = page.getByRole('region', { name: 'Your own judge' })
    await judge.getByRole('textbox', { name: 'When does an answer pass?' }).fill(GROUNDED)
    await judge.getByRole('textbox', { name: /^Name/ }).fill('grounded')
    await judge.getByRole('button', { name: 'Try on 3 cases' }).click()
    await judge.getByText(/^2 pass, 1 does not · \$0\.\d+ · nothing stored$/).waitFor()
    await judge.getByText('It was asked about Question 1.').waitFor()
    expect(server.requests).toHaveLength(3)
    expect(await client.list(`${below}/evaluations`)).toEqual([])

    await page.getByRole('switch', { name: 'Gate' }).check()
    await page.getByRole('combobox', { name: 'Not worse on' }).selectOption('grounded')
    await page.getByRole('textbox', { name: 'by more than' }).fill('0.1')
    await page.getByText(/items: 40 of about \d+/).waitFor()
    await page.getByText(/Prompt v6 has no scores of grounded: evaluate it first/).waitFor()
    await page.reload()
    await judge.getByText(GROUNDED).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/evaluations\/[0-9a-f-]{36}$/)
    const [started] = await client.list(`${below}/evaluations`)
    expect(page.url()).toContain(String(started?.id))
    const { body } = await client.get(`${below}/evaluations/${started?.id}`)
    const [baseline] = (await client.list(`${below}/runs`)).filter(({ name }) => name === 'Prompt v6')
    expect(body.config).toEqual({
      baselineRunId: baseline?.id,
      evaluators: [{ type: 'exactMatch' }, { type: 'llmJudge', name: 'grounded', instructions: GROUNDED }],
      provider: 'Local',
      gate: { metric: 'grounded', margin: 0.1 },
    })
    await server.close()
  })

  it('the form of every evaluator type can be filled in so that the server accepts its config', async () => {
    const { person, client, path, server } = await seed()
    const page = await open(app().url, { person, complaints: INVALID_YET })
    await page.goto(`${path}/evaluations/new`)
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'Prompt v6' })
    await page.getByRole('button', { name: /^Show \d+ more$/ }).click()
    const types = await client.list('/evaluators?limit=100')
    const cards = page.getByRole('region', { name: 'Evaluators', exact: true }).getByRole('checkbox')
    expect(await cards.count()).toBe(types.length)
    for (let place = 0; place < types.length; place += 1) await cards.nth(place).check()
    await fillRequired(page)
    await page
      .getByRole('button', { name: /^Start evaluation/ })
      .and(page.locator(':not([aria-disabled])'))
      .waitFor()
    const dryRun = page.waitForResponse((response) => response.url().includes('dry_run=true'))
    await page.getByRole('textbox', { name: /^Stop at/ }).fill('1')
    const response = await dryRun
    expect(response.status(), await response.text()).toBe(200)
    const { config } = JSON.parse(response.request().postData() ?? '{}')
    expect(config.evaluators.map(({ type }: { type: string }) => type).toSorted()).toEqual(
      types.map(({ type }) => String(type)).toSorted(),
    )
    await server.close()
  })
})

/** What evaluators cannot do without; all other options have defaults. */
async function fillRequired(page: Page): Promise<void> {
  const fill = async (section: string, field: string | RegExp, text: string) =>
    page.getByRole('region', { name: section, exact: true }).getByRole('textbox', { name: field }).fill(text)
  await fill('Has a pattern', /^Pattern/, '\\d+')
  await fill('Keeps a schema', /^JSON Schema/, '{"type": "object"}')
  await fill('Fast enough', /^At most/, '800')
  await fill('Cheap enough', /^At most/, '0.01')
  await fill('Few tokens', /^At most/, '1000')
  await fill('Contains one of', 'Text 1', 'Answer')
  await fill('Contains all of', 'Text 1', 'Answer')
  await fill('Your own judge', 'When does an answer pass?', GROUNDED)
  await fill('Not worse than expected', 'What is good, and what is not?', GROUNDED)
  await page.getByRole('region', { name: 'Right length', exact: true }).locator('summary').first().click()
  await fill('Right length', /^Max words/, '200')
  const labels = page.getByRole('region', { name: 'Which label fits', exact: true })
  await labels.getByRole('textbox', { name: 'Label 1', exact: true }).fill('good')
  await labels.getByRole('button', { name: 'Add to Label', exact: true }).click()
  await labels.getByRole('textbox', { name: 'Label 2', exact: true }).fill('bad')
}
