import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, heading, idOf, inSupport, openPage, SUPPORT, signIn } from './open-page.ts'

const PAGE = inSupport('settings/general')

describe('general settings', () => {
  it('the address of the settings leads to the first section', async () => {
    signIn()
    openPage(inSupport('settings'))
    await heading('General')
    expect(address()).toBe(PAGE)
  })

  it('renaming sends the trimmed name, removes an empty description, and is visible at once', async () => {
    signIn('admin', [{ ...SUPPORT, description: 'Old' }])
    onRequest('PATCH /workspaces/{workspaceId}', () => {
      const renamed = { ...SUPPORT, name: 'Help desk', updatedAt: '2026-02-02T00:00:00.000Z' }
      onRequest('GET /workspaces', { data: [renamed] })
      return renamed
    })
    const user = openPage(PAGE)
    const name = await screen.findByRole('textbox', { name: 'Name' })
    await user.clear(name)
    await user.type(name, ' Help desk ')
    await user.clear(screen.getByRole('textbox', { name: 'Description' }))
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await screen.findByRole('button', { name: 'Application: Help desk' })
    await screen.findByText('Saved.')
    expect(screen.getByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'Help desk')
    expect(requestsOf('PATCH /workspaces/{workspaceId}')).toMatchObject([
      { params: { workspaceId: SUPPORT.id }, body: { name: 'Help desk', description: null } },
    ])
  })

  it('a rejected name is explained, and the typed text stays', async () => {
    signIn()
    onRequest('PATCH /workspaces/{workspaceId}', failed(409, 'The name is taken'))
    const user = openPage(PAGE)
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), ' 2{Enter}')
    expect((await screen.findByRole('alert')).textContent).toContain('The name is taken')
    expect(screen.getByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'Support 2')
  })

  it('an editor reads the settings, and sees which role may change them', async () => {
    signIn('editor')
    const user = openPage(PAGE)
    const name = await screen.findByRole('textbox', { name: 'Name' })
    expect(name).toHaveProperty('readOnly', true)
    const description = 'Changing these settings requires the role admin; yours is editor.'
    await user.click(screen.getByRole('button', { name: 'Save changes', description }))
    await user.type(name, '{Enter}')
    expect(requestsOf('PATCH /workspaces/{workspaceId}')).toEqual([])
  })

  it('only an owner deletes the application', async () => {
    signIn('admin')
    const user = openPage(PAGE)
    const description = 'Deleting the application requires the role owner; yours is admin.'
    await user.click(await screen.findByRole('button', { name: 'Delete application…', description }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('deleting the application requires its name, and opens the others', async () => {
    signIn('owner')
    onRequest('DELETE /workspaces/{workspaceId}', () => {
      onRequest('GET /workspaces', {
        data: [
          { ...SUPPORT, id: idOf(20), name: 'Search' },
          { ...SUPPORT, id: idOf(21), name: 'Sales' },
        ],
      })
      return null
    })
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('button', { name: 'Delete application…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete application' }))
    await user.type(dialog.getByRole('textbox'), 'support{Enter}')
    expect(requestsOf('DELETE /workspaces/{workspaceId}')).toEqual([])
    await user.clear(dialog.getByRole('textbox'))
    await user.type(dialog.getByRole('textbox'), 'Support{Enter}')
    await screen.findByText('Deleted Support.')
    await screen.findByRole('link', { name: 'Search' })
    expect(address()).toBe('/')
  })

  it('leaving asks for confirmation, and opens the other applications', async () => {
    signIn('viewer')
    onRequest('DELETE /members/me', () => {
      onRequest('GET /workspaces', { data: [] })
      return null
    })
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('button', { name: 'Leave application…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Leave application' }))
    expect(requestsOf('DELETE /members/me')).toEqual([])
    await user.click(dialog.getByRole('button', { name: 'Leave' }))
    await heading('No application yet')
    await screen.findByText('You have left Support.')
    expect(requestsOf('DELETE /members/me')).toMatchObject([{ applicationId: SUPPORT.id }])
  })

  it('the last owner sees why leaving is not possible', async () => {
    signIn('owner')
    onRequest('DELETE /members/me', failed(409, 'The last owner cannot leave'))
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('button', { name: 'Leave application…' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Leave' }))
    expect((await dialog.findByRole('alert')).textContent).toContain('The last owner cannot leave')
  })
})
