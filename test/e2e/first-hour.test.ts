// @module-tag deep
/** What a person does in the first hour, from the link that the server prints to a team with keys, as one story. */
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeInBrowser } from '../harness/browser.ts'
import { createClient } from '../harness/client.ts'
import { describeEngines } from '../harness/each-engine.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { fillSignIn } from './describe-pages.ts'
import { type Installation, startInstallation } from './installation.ts'

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: PASSWORD }
const GRACE = { name: 'Grace Hopper', email: 'grace@example.com', password: 'nanoseconds in a wire' }

describeInBrowser('the first hour', (open) => {
  describeEngines('a team', (engine) => {
    let installation: Installation | undefined
    // Before each try of a test: a link for setting up works once.
    beforeEach(async () => {
      installation = await startInstallation(engine)
    })
    afterEach(() => installation?.[Symbol.asyncDispose]())

    it('leads from the set-up link to a team with components and keys, without leaving the browser', async () => {
      if (!installation) throw new Error('the server runs only while a test does')
      const { url, setupLink } = installation
      const page = await open(url)
      await setUp(page, setupLink)
      const home = new URL(page.url()).pathname
      await createComponent(page)
      await useApiKey(page, url)
      const invitationLink = await invite(page)
      const gracesPage = await open(url, { complaints: [/^answer: 404 POST \/api\/v1\/invitations\/lookup$/] })
      await accept(gracesPage, invitationLink)
      await expectAnnotatorsLimits(gracesPage)
      await renameApplication(page)
      await switchAndDelete(page, home)
      await signOutAndIn(page, home)
      // Before the server ends, which the pages would report.
      await Promise.all([page, gracesPage].map((one) => one.close()))
    })
  })
})

async function setUp(page: Page, setupLink: string): Promise<void> {
  await page.goto('/')
  await page.getByText('This server has no account yet').waitFor()
  await page.goto(setupLink)
  await page.getByRole('textbox', { name: 'Name' }).fill(ADA.name)
  await page.getByRole('textbox', { name: 'E-mail' }).fill(ADA.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(ADA.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
  await openComponents(page)
  await page.getByRole('heading', { name: 'No component yet' }).waitFor()
  await page.getByRole('button', { name: 'Application: My first application' }).waitFor()
}

async function openComponents(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name: 'Components' }).click()
}

async function createComponent(page: Page): Promise<void> {
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  await page.getByRole('button', { name: 'New component' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('support-assistant')
  await page.getByRole('textbox', { name: 'Description' }).fill('Answers first-line questions.')
  await page.getByRole('button', { name: 'Create component' }).click()
  await page.getByRole('heading', { name: 'support-assistant' }).waitFor()
  await openComponents(page)
  await page.getByRole('table', { name: 'Components' }).getByText('Answers first-line questions.').waitFor()
  expect(loads, 'the list shows the new component without loading the page again').toBe(0)
  await page.getByRole('link', { name: 'support-assistant' }).click()
  for (const [tab, heading] of Object.entries({ Runs: 'run', Evaluations: 'evaluation', Datasets: 'dataset' })) {
    await page.getByRole('navigation', { name: 'Component', exact: true }).getByRole('link', { name: tab }).click()
    await page.getByRole('heading', { name: `No ${heading} yet` }).waitFor()
  }
}

async function useApiKey(page: Page, url: string): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'API Keys' }).click()
  await page.getByRole('button', { name: 'New API key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('ci')
  await page.getByRole('combobox', { name: 'Expires' }).selectOption('30')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = (await page.getByRole('status', { name: 'API key' }).textContent()) ?? ''
  await page.getByRole('button', { name: 'I have saved this key' }).click()
  await page.getByText('You have not copied the key').waitFor()
  await page.getByRole('button', { name: 'Copy key' }).click()
  await page.getByText('You have not copied the key').waitFor({ state: 'detached' })
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  await page.getByRole('button', { name: 'I have saved this key' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  const row = page.getByRole('row', { name: /^ci / })
  const lastUsed = row.getByRole('cell').nth(1)
  expect(await row.getByRole('rowheader').textContent()).toMatch(
    new RegExp(`^ci${key.slice(0, 4)}.*…${key.slice(-4)}$`),
  )
  expect(await lastUsed.textContent()).toBe('Never')
  expect(await row.textContent()).toContain('in 30 days')
  expect(await page.content()).not.toContain(key)

  const program = createClient(url, { authorization: `Bearer ${key}` })
  expect((await program.list('/components')).map(({ name }) => name)).toEqual(['support-assistant'])
  // The time of use is written without making the request wait, so it may take a moment to show.
  await expect.poll(() => page.reload().then(() => lastUsed.textContent())).toMatch(/just now|ago/)

  await page.getByRole('button', { name: 'Revoke ci' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await row.waitFor({ state: 'detached' })
  expect(await program.get('/components')).toMatchObject({ status: 401, body: { error: 'Invalid or missing API key' } })
}

async function invite(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('button', { name: 'Invite member' }).click()
  await page.getByRole('textbox', { name: 'E-mail' }).fill(GRACE.email)
  await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('annotator')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = (await page.getByRole('status', { name: 'Invitation link' }).textContent()) ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  await page
    .getByRole('row', { name: new RegExp(GRACE.email) })
    .getByText('invited')
    .waitFor()
  await page.reload()
  await page.getByRole('row', { name: new RegExp(GRACE.email) }).waitFor()
  expect(await page.content(), 'the link is shown only once').not.toContain(new URL(link).hash)
  return link
}

async function accept(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('heading', { name: 'Join My first application' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe(GRACE.email)
  await page.getByRole('textbox', { name: 'Name' }).fill(GRACE.name)
  await page.getByRole('textbox', { name: 'Password' }).fill(GRACE.password)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('link', { name: 'support-assistant' }).waitFor()
  const second = await page.context().newPage()
  await second.goto(link)
  await second.getByRole('heading', { name: 'This invitation does not work' }).waitFor()
  await second.close()
}

/** Nothing is hidden: what one may not do is off and says why. */
async function expectAnnotatorsLimits(page: Page): Promise<void> {
  await openComponents(page)
  const create = page.getByRole('button', { name: 'New component', disabled: true })
  await create.hover()
  await page
    .getByRole('tooltip')
    .getByText('Changing components requires the role editor; yours is annotator.')
    .waitFor()
  await create.click({ force: true })
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'Delete support-assistant', disabled: true }).waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('Changing these settings requires the role admin; yours is annotator.').first().waitFor()
  await page.getByRole('button', { name: 'Save changes', disabled: true }).waitFor()
  await page.getByRole('button', { name: 'Delete application…', disabled: true }).waitFor()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('heading', { name: 'Not for your role' }).waitFor()
  await page.getByRole('button', { name: 'Invite member', disabled: true }).waitFor()
  await page.getByRole('link', { name: 'API Keys' }).click()
  await page.getByRole('heading', { name: 'No API key yet' }).waitFor()
}

async function renameApplication(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'General' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Support')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('button', { name: 'Application: Support' }).waitFor()
  await page.reload()
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Support')
}

async function switchAndDelete(page: Page, home: string): Promise<void> {
  await page.getByRole('button', { name: 'Application: Support' }).click()
  await page.getByRole('link', { name: 'New application…' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Second')
  await page.getByRole('button', { name: 'Create application' }).click()
  await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'API Keys' }).click()
  await page.getByRole('heading', { name: 'No API key yet' }).waitFor()

  await page.getByRole('button', { name: 'Application: Second' }).click()
  await page.getByRole('option', { name: 'Support' }).click()
  await page.getByRole('button', { name: 'Application: Support' }).waitFor()
  expect(new URL(page.url()).pathname, 'the section is kept').toBe(home.replace('components', 'settings/api-keys'))
  await page.getByRole('button', { name: 'Application: Support' }).click()
  await page.getByRole('combobox', { name: 'Find an application' }).fill('sec')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Application: Second' }).waitFor()

  await page.getByRole('link', { name: 'General' }).click()
  await page.getByRole('button', { name: 'Delete application…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete application' })
  await dialog.getByRole('textbox').fill('second')
  await dialog.getByRole('button', { name: 'Delete application', disabled: true }).waitFor()
  await dialog.getByRole('textbox').fill('Second')
  await dialog.getByRole('button', { name: 'Delete application', disabled: false }).click()
  // One application is left, and opens.
  await page.getByRole('button', { name: 'Application: Support' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(home.replace('/components', ''))
}

async function signOutAndIn(page: Page, home: string): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goto(home.replace('components', 'settings/members'))
  await page.waitForURL(/\/sign-in\?next=/)
  await fillSignIn(page, ADA.email, ADA.password)
  await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toBe(home.replace('components', 'settings/members'))
  await page.getByRole('row', { name: /Grace Hopper/ }).waitFor()
}
