// @module-tag deep
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { PASSWORD } from '../harness/test-app.ts'
import { describePages, newOwner } from './describe-pages.ts'

const STEPS_MAX = 40

describePages('keyboard', (app, open) => {
  it('a keyboard is enough to sign in and create a component', async () => {
    const { person } = await newOwner(app())
    const page = await open(app().url)
    await page.goto('/sign-in')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await tabTo(page, 'textbox', 'E-mail')
    await page.keyboard.type(person.email)
    await tabTo(page, 'textbox', 'Password')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: 'No component yet' }).waitFor()

    await tabTo(page, 'button', 'New component')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New component' }).waitFor()
    await expectFocus(page, 'textbox', 'Name')
    await page.keyboard.type('made by keys')
    await tabTo(page, 'textbox', 'Description')
    await page.keyboard.type('No mouse was moved.')
    await tabTo(page, 'button', 'Create component')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'made by keys' }).waitFor()
  })

  it('Escape closes a dialog and returns the focus to its trigger', async () => {
    const { person, workspaceId } = await newOwner(app())
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/components`)
    await page.getByRole('heading', { name: 'No component yet' }).waitFor()
    await tabTo(page, 'button', 'New component')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectFocus(page, 'button', 'New component')
  })

  it('a page that arrives late leaves the focus in a list that was opened meanwhile', async () => {
    const { person, workspaceId } = await newOwner(app())
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/components`)
    await page.getByRole('heading', { name: 'No component yet' }).waitFor()
    const held = Promise.withResolvers<void>()
    await page.route('**/api-keys*', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'API Keys' }).click()
    await page.getByRole('button', { name: /^Application: / }).click()
    await expectFocus(page, 'combobox', 'Find an application')
    held.resolve()
    await page.getByRole('columnheader', { name: 'Last used' }).waitFor()
    await expectFocus(page, 'combobox', 'Find an application')
  })

  it('the first Tab stop of a page skips the navigation', async () => {
    const { person, workspaceId } = await newOwner(app(), 'past the rail')
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/components`)
    await page.getByRole('heading', { name: 'No component yet' }).waitFor()
    await page.keyboard.press('Tab')
    await expectFocus(page, 'link', 'Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    // The first control of the content: its breadcrumb.
    await expectFocus(page, 'link', 'past the rail')
  })

  it('the parts of a component are links, and each has an address', async () => {
    const { person, workspaceId } = await newOwner(app())
    const componentId = await app().asPerson(person, workspaceId).create('/components', { name: 'tabbed' })
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/components/${componentId}`)
    const parts = page.getByRole('navigation', { name: 'Component', exact: true })
    await parts.getByRole('link', { name: 'Runs' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/runs$/)
    // The address changes before the page does, and the links belong to the page.
    await page.getByRole('heading', { name: 'No run yet' }).waitFor()
    await parts.getByRole('link', { name: 'Evaluations' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/evaluations$/)
    await page.getByRole('heading', { name: 'No evaluation yet' }).waitFor()
  })

  it('a rating is moved by keys, and the focus moves with it', async () => {
    const { person, workspaceId } = await newOwner(app())
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/settings/rating-scheme`)
    await tabTo(page, 'textbox', 'Word 1')
    await page.keyboard.press('Alt+ArrowDown')
    await page.getByText('positive is now 2 of 2.').waitFor({ state: 'attached' })
    await expectFocus(page, 'textbox', 'Word 2')
    await tabTo(page, 'button', 'Move positive up')
    await page.keyboard.press('Enter')
    await page.getByText('positive is now 1 of 2.').waitFor({ state: 'attached' })
    await expectFocus(page, 'button', 'Move positive up')
  })

  it('the application can be switched from the keyboard', async () => {
    const [one, two] = [await app().newWorkspace('Alpha'), await app().newWorkspace('Beta')]
    const memberships = [one, two].map(({ workspaceId }) => ({ workspaceId, role: 'viewer' as const }))
    const page = await open(app().url, { person: await app().newPerson(memberships) })
    await page.goto(`/a/${one.workspaceId}/components`)
    await tabTo(page, 'button', 'Application: Alpha')
    await page.keyboard.press('Enter')
    await expectFocus(page, 'combobox', 'Find an application')
    await page.keyboard.type('bet')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${app().url}/a/${two.workspaceId}/components`)
  })
})

type FocusableRole = 'button' | 'textbox' | 'link' | 'combobox'

/** Presses Tab until the control has the focus. Every stop on the way must be visible as such. */
async function tabTo(page: Page, role: FocusableRole, name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true })
  await wanted.waitFor()
  const isFocused = async () => (await wanted.and(page.locator(':focus')).count()) === 1
  for (let step = 0; step < STEPS_MAX && !(await isFocused()); step += 1) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate(DESCRIBE_FOCUS)).toMatchObject({ isRinged: true })
  }
  await expectFocus(page, role, name)
}

async function expectFocus(page: Page, role: FocusableRole, name: string): Promise<void> {
  await page.getByRole(role, { name, exact: true }).and(page.locator(':focus')).waitFor({ state: 'attached' })
}

const DESCRIBE_FOCUS = `({
  element: document.activeElement.outerHTML.slice(0, 200),
  isRinged: document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle !== 'none',
})`
