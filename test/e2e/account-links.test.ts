// @module-tag deep
import { expect, it } from 'vitest'
import { createResetToken } from '../../src/auth/accounts/manage-accounts.ts'
import { idGenerator, NIL_ID } from '../../src/base/ids.ts'
import { PASSWORD, type Person, type TestApp } from '../harness/test-app.ts'
import { describePages, fillSignIn, newOwner } from './describe-pages.ts'

const NEW_PASSWORD = 'another horse, another battery'

async function invite(app: TestApp, email: string): Promise<string> {
  const { person, workspaceId } = await newOwner(app, 'Support')
  const { body } = await app.asPerson(person, workspaceId).post('/members', { email, role: 'annotator' })
  return String(body.invitationUrl)
}

describePages('links that are handed to people', (app, open) => {
  const resetLink = async ({ email }: Person) => {
    const { storage, clock, url } = app()
    const by = { kind: 'command-line', userId: NIL_ID } as const
    const work = { clock, newId: idGenerator(clock), requestId: 'command-line', address: '', by }
    return `${url}/reset#${await storage.transaction((tx) => createResetToken({ ...work, tx }, email))}`
  }

  it('a person with an account joins by signing in on the page of the invitation and accepting it', async () => {
    const person = await app().newPerson()
    const link = await invite(app(), person.email)
    const page = await open(app().url)
    await page.goto(link)
    await page.getByRole('heading', { name: 'Join Support' }).waitFor()
    await page.getByRole('button', { name: 'I have an account already' }).click()
    expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe(person.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(`You are signed in as ${person.email}`).waitFor()
    expect(await app().asPerson(person).list('/workspaces')).toEqual([])
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('button', { name: 'Application: Support' }).waitFor()
  })

  it('a person who is signed in with another account sees that, and returns after signing out', async () => {
    const person = await app().newPerson()
    const link = await invite(app(), 'another-person@example.com')
    const page = await open(app().url, { person })
    await page.goto(link)
    await page.getByRole('heading', { name: 'This invitation is for another account' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Join Support' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('another-person@example.com')
  })

  it('a lost invitation link is replaced by another', async () => {
    const { person, workspaceId } = await newOwner(app())
    const client = app().asPerson(person, workspaceId)
    const { body } = await client.post('/members', { email: 'lost@example.com', role: 'viewer' })
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/settings/members`)
    await page.getByRole('button', { name: 'New link for lost@example.com' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = (await page.getByRole('status', { name: 'Invitation link' }).textContent()) ?? ''
    const lookUp = (url: string) => app().anonymous.post('/invitations/lookup', { token: url.split('#')[1] })
    expect((await lookUp(link)).status).toBe(200)
    expect((await lookUp(String(body.invitationUrl))).status).toBe(404)
  })

  it('a reset link leads to a new password, once', async () => {
    const { person } = await newOwner(app())
    const link = await resetLink(person)
    const page = await open(app().url, { complaints: [/^answer: 404 POST \/api\/v1\/password-resets\/lookup$/] })
    await page.goto(link)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe(person.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()
    await page.getByRole('link', { name: 'Go to sign in' }).click()
    await fillSignIn(page, person.email, NEW_PASSWORD)
    await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
    const second = await page.context().newPage()
    await second.goto(link)
    await second.getByRole('heading', { name: 'This link does not work' }).waitFor()
  })

  it('a viewer creates an own key that only reads, and leaves', async () => {
    const { workspaceId } = await app().newWorkspace('Left behind')
    const person = await app().newPerson([{ workspaceId, role: 'viewer' }])
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/settings/api-keys?new=true`)
    await page.getByRole('textbox', { name: 'Name' }).fill('notebook')
    expect(await page.getByRole('combobox', { name: 'Role' }).textContent()).toBe('viewer (read-only)')
    expect(await page.getByRole('combobox', { name: 'Expires' }).inputValue()).toBe('90')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = app().withKey((await page.getByRole('status', { name: 'API key' }).textContent()) ?? '')
    expect((await key.get('/me')).body.role).toBe('viewer')
    await page.goto(`/a/${workspaceId}/settings/general`)
    await page.getByRole('button', { name: 'Leave application…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'No application yet' }).waitFor()
    expect((await key.get('/me')).status).toBe(401)
  })
})
