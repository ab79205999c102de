// @module-tag deep
/** An experiment from the set-up page to the verdict and a deployed version, in one page that is never loaded again. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { answerByRules, isReflection, reflectByRules, seedExperiment } from '../experiments/seed-experiment.ts'
import type { AskedRequest } from '../harness/model-server.ts'
import { describePages } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'

const NAME = 'Six rules'
/** After so many proposals the provider waits until the test has looked at the page. */
const HELD_AFTER = 8
const VERDICT_WORDS = /\b(better|worse|improved|regressed)\b/i

describePages('an experiment', (app, open) => {
  it('is set up, watched without a verdict, and ends with one from sealed items', async () => {
    const held = Promise.withResolvers<void>()
    let reflections = 0
    const answer = async (request: AskedRequest) => {
      if (!isReflection(request)) return answerByRules(request)
      reflections += 1
      if (reflections > HELD_AFTER) await held.promise
      return reflectByRules(request)
    }
    const of = await seedExperiment(app(), { answer })
    const { client, workspaceId, componentId, promptId } = of
    await client.create('/prices', { modelPattern: 'model-1', inputPerMillion: 50, outputPerMillion: 200 })
    const person = await app().newPerson([{ workspaceId, role: 'owner' }])
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/c/${componentId}/experiments`)
    await page.evaluate('window.isSamePage = true')
    await page.getByRole('heading', { name: 'No experiment yet' }).waitFor()
    await page.keyboard.press('n')
    await setUp(page)

    await page.getByRole('heading', { name: /^Proposal \d+ leads by 0\.\d+/ }).waitFor({ timeout: 60_000 })
    expect(await page.locator('h2').first().textContent()).not.toMatch(VERDICT_WORDS)
    await page.getByRole('heading', { name: '30 test items are sealed' }).waitFor()
    await expectAccessible(page, 'experiment-running')
    await page.getByRole('link', { name: 'Experiments' }).first().click()
    await page.getByText('30 test items, opened at the end').waitFor()
    expect(await page.getByRole('table').textContent()).not.toMatch(VERDICT_WORDS)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')

    held.resolve()
    await page.getByRole('heading', { name: /^Proposal \d+ is better on .+ by 1\.00\.$/ }).waitFor({ timeout: 90_000 })
    await page.getByRole('heading', { name: 'Test split opened once' }).waitFor()
    await page.getByRole('heading', { name: 'Every metric' }).waitFor()
    await expectAccessible(page, 'experiment')
    await readProposals(page)

    await page.getByRole('link', { name: 'Experiments' }).first().click()
    await page.getByText('+1.00', { exact: true }).first().waitFor()
    await page.keyboard.press('t')
    await page.getByRole('table', { name: 'Experiments in numbers' }).waitFor()
    await expectAccessible(page, 'experiments-numbers')
    await page.keyboard.press('t')
    await page.keyboard.press('/')
    await page.keyboard.type('nothing like it')
    await page.getByText('No experiment has these words.').waitFor()
    await page.getByRole('searchbox', { name: /^Find an experiment/ }).fill('six')
    await page.getByRole('link', { name: NAME }).waitFor()
    await expectAccessible(page, 'experiments')
    await page.getByRole('link', { name: NAME }).click()
    await page.getByRole('heading', { name: /is better on/ }).waitFor()
    await page.keyboard.press('s')
    await page.waitForURL(new RegExp(`/prompts/${promptId}\\?version=\\d+`))
    expect(await page.evaluate('window.isSamePage')).toBe(true)
  })
})

async function setUp(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'New experiment' }).waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill(NAME)
  await page.getByRole('checkbox', { name: /Same as expected/ }).check()
  await page.getByRole('button', { name: 'Change shares' }).click()
  await page.getByRole('textbox', { name: 'Train, %' }).fill('30')
  await page.getByRole('textbox', { name: 'Validation, %' }).fill('20')
  await page.getByRole('textbox', { name: 'Test, sealed, %' }).fill('50')
  await page.getByRole('textbox', { name: 'Seed' }).fill('7')
  await page.getByRole('textbox', { name: 'Stop at, $' }).fill('20')
  const summary = page.getByRole('complementary', { name: 'What it costs and shows' })
  await summary.getByText(/^up to about \$/).waitFor()
  await summary.getByText('On 30 test items', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Try one proposal' }).click()
  const tried = page.getByRole('region', { name: 'One proposal, tried' })
  await tried.getByRole('list', { name: 'The items that were tried' }).waitFor({ timeout: 60_000 })
  await tried.getByText('Diagnosis of the items it saw:').waitFor()
  await expectAccessible(page, 'new-experiment')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
}

/** By keyboard from the finalist to its parent, against the parent, and a proposal that was not tested becomes a version. */
async function readProposals(page: Page): Promise<void> {
  const proposals = page.getByRole('region', { name: 'Proposals' })
  const shown = () => proposals.locator('button[aria-current]').textContent()
  const finalist = await shown()
  await page.keyboard.press('d')
  await page.waitForURL(/against=parent/)
  await page.keyboard.press('t')
  await page.getByRole('region', { name: 'Proposals as a table' }).waitFor()
  await expectAccessible(page, 'experiment-table')
  await page.keyboard.press('t')
  await page.keyboard.press('h')
  await page.waitForURL(/proposal=\d+/)
  expect(await shown()).not.toBe(finalist)
  await proposals.getByText('Diagnosis of the items it saw:').waitFor()
  await proposals.getByRole('button', { name: 'Save as a version' }).click()
  await proposals.getByRole('link', { name: /^Open v\d+$/ }).waitFor()
}
