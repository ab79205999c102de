import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { ApiKey, CreatedApiKey, Role } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport('settings/api-keys')
const CI: ApiKey = { ...exampleOf<ApiKey>('ApiKey'), id: idOf(40), name: 'ci', prefix: 'ts_', lastFour: 'wxyz' }
const CREATED: CreatedApiKey = { ...exampleOf<CreatedApiKey>('CreatedApiKey'), ...CI, key: 'ts_the-whole-secret-wxyz' }

async function createKey(role: Role = 'editor') {
  signIn(role)
  onRequest('POST /api-keys', CREATED)
  const user = openPage(`${PAGE}?new=true`)
  const dialog = await screen.findByRole('dialog', { name: 'New API key' })
  await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'ci')
  return { user, dialog: within(dialog) }
}

describe('API keys page', () => {
  it.each([
    ['viewer', 'You see your own keys.'],
    ['admin', 'You see the keys of all members.'],
  ] as const)('shows a %s whose keys are listed, also when there are none', async (role, text) => {
    signIn(role)
    openPage(PAGE)
    await heading('No API key yet')
    expect(screen.getByText(new RegExp(`${text}$`))).toBeTruthy()
  })

  it('shows the ends of a key, and when it was used and expires', async () => {
    signIn()
    const expired = { ...CI, id: idOf(41), name: 'old', expiresAt: '2020-01-01T00:00:00.000Z' }
    onRequest('GET /api-keys', { data: [CI, expired] })
    openPage(PAGE)
    const cells = async (name: RegExp) =>
      within(await screen.findByRole('row', { name }))
        .getAllByRole('cell')
        .map(({ textContent }) => textContent)
    expect(await cells(/^ci ?ts_…wxyz/)).toMatchObject({ 1: 'Never', 2: 'viewer', 3: 'Never' })
    expect(await cells(/^old/)).toMatchObject({ 3: 'Expired' })
  })

  it.each([
    ['viewer', ['viewer']],
    ['annotator', ['viewer', 'annotator']],
    ['owner', ['viewer', 'annotator', 'editor']],
  ] as const)('a key of a %s has at most the role of its owner, and never manages members', async (role, expected) => {
    const { dialog } = await createKey(role)
    const select = dialog.getByRole('combobox', { name: 'Role' })
    const options = within(select).getAllByRole<HTMLOptionElement>('option')
    expect(options.map(({ value }) => value)).toEqual(expected)
    expect(options[0]?.textContent).toBe('viewer (read-only)')
    expect(select).toHaveProperty('value', expected.at(-1))
  })

  it.each([
    ['90', 90],
    ['365', 365],
    ['0', null],
  ])('the choice %s of the expiry is sent as %s days', async (choice, expiresInDays) => {
    const { user, dialog } = await createKey()
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Expires' }), choice)
    await user.click(dialog.getByRole('button', { name: 'Create key' }))
    await screen.findByRole('dialog', { name: 'Save your API key' })
    expect(requestsOf('POST /api-keys')).toMatchObject([{ body: { name: 'ci', role: 'editor', expiresInDays } }])
  })

  it('a key that was not copied is not lost by one Escape', async () => {
    const { user, dialog } = await createKey()
    await user.click(dialog.getByRole('button', { name: 'Create key' }))
    expect((await screen.findByRole('status', { name: 'API key' })).textContent).toBe(CREATED.key)
    await user.keyboard('{Escape}')
    await screen.findByText('You have not copied the key')
    expect(screen.getByRole('status', { name: 'API key' })).toBeTruthy()
    await user.keyboard('{Escape}')
    await eventually(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('a copied key is gone from the page when the dialog closes', async () => {
    const { user, dialog } = await createKey()
    await user.click(dialog.getByRole('button', { name: 'Create key' }))
    await user.click(await screen.findByRole('button', { name: 'Copy as .env line' }))
    expect(await navigator.clipboard.readText()).toBe(`TOUCHSTONE_API_KEY=${CREATED.key}`)
    await user.click(screen.getByRole('button', { name: 'I have saved this key' }))
    await eventually(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(document.body.innerHTML).not.toContain(CREATED.key)
    expect(address()).toBe(PAGE)
  })

  it('shows why a key was not created', async () => {
    const { user, dialog } = await createKey()
    onRequest('POST /api-keys', failed(409, 'You have too many keys'))
    await user.click(dialog.getByRole('button', { name: 'Create key' }))
    expect((await dialog.findByRole('alert')).textContent).toContain('You have too many keys')
  })

  it('revoking names the consequences, then removes the key', async () => {
    signIn()
    onRequest('GET /api-keys', { data: [CI] })
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('button', { name: 'Revoke ci' }))
    const dialog = await screen.findByRole('dialog', { name: 'Revoke API key' })
    expect(dialog.textContent).toContain('ci was never used. It stops working at once.')
    onRequest('GET /api-keys', { data: [] })
    await user.click(within(dialog).getByRole('button', { name: 'Revoke key' }))
    await screen.findByText('Revoked ci.')
    await heading('No API key yet')
    expect(requestsOf('DELETE /api-keys/{keyId}')).toMatchObject([{ params: { keyId: CI.id } }])
  })
})
