import { fireEvent, screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, SUPPORT, signIn } from './open-page.ts'

const PAGE = inSupport('components')

async function openDialog() {
  signIn('editor')
  onRequest('GET /components', { data: [ASSISTANT] })
  onRequest('POST /components', { id: idOf(9) })
  onRequest('GET /components/{componentId}', { ...ASSISTANT, id: idOf(9), name: 'triage' })
  const user = openPage(PAGE)
  await user.click(await screen.findByRole('button', { name: 'New component' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'New component' }))
  return { user, dialog }
}

describe('a dialog that creates something', () => {
  it('sends the trimmed text, and opens the new component', async () => {
    const { user, dialog } = await openDialog()
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), '  triage ')
    await user.type(dialog.getByRole('textbox', { name: 'Description' }), 'Sorts questions.')
    await user.click(dialog.getByRole('button', { name: 'Create component' }))
    await heading('triage')
    expect(address()).toBe(inSupport(`c/${idOf(9)}`))
    expect(screen.queryByRole('dialog')).toBeNull()
    const [request, ...others] = requestsOf('POST /components')
    expect(request).toMatchObject({
      body: { name: 'triage', description: 'Sorts questions.' },
      applicationId: SUPPORT.id,
    })
    expect(others).toEqual([])
  })

  it('sends no description if none was typed', async () => {
    const { user, dialog } = await openDialog()
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'triage{Enter}')
    await heading('triage')
    expect(requestsOf('POST /components')).toMatchObject([{ body: { name: 'triage' } }])
    expect(requestsOf('POST /components')[0]?.body).not.toHaveProperty('description')
  })

  it.each(['', '   '])('says what is wrong with the name "%s", until it is changed', async (name) => {
    const { user, dialog } = await openDialog()
    const field = dialog.getByRole('textbox', { name: 'Name' })
    if (name) await user.type(field, name)
    await user.click(dialog.getByRole('button', { name: 'Create component' }))
    const alert = await dialog.findByRole('alert')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(field.getAttribute('aria-describedby')).toBe(alert.id)
    await user.type(field, 'x')
    expect(dialog.queryByRole('alert')).toBeNull()
    expect(requestsOf('POST /components')).toEqual([])
  })

  it('sends one request for repeated submits', async () => {
    const held = Promise.withResolvers<object>()
    const { user, dialog } = await openDialog()
    onRequest('POST /components', () => held.promise)
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'triage{Enter}{Enter}')
    const button = dialog.getByRole('button', { name: 'Create component' })
    await user.dblClick(button)
    expect(button.getAttribute('aria-disabled')).toBe('true')
    held.resolve({ id: idOf(9) })
    await heading('triage')
    expect(requestsOf('POST /components')).toHaveLength(1)
  })

  it('sends one request for two clicks in the same moment', async () => {
    const { user, dialog } = await openDialog()
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'triage')
    const button = dialog.getByRole('button', { name: 'Create component' })
    fireEvent.click(button)
    fireEvent.click(button)
    await heading('triage')
    expect(requestsOf('POST /components')).toHaveLength(1)
  })

  it('shows why the server rejected it, and keeps the typed text', async () => {
    const { user, dialog } = await openDialog()
    onRequest('POST /components', failed(409, 'A component with this name exists'))
    const field = dialog.getByRole('textbox', { name: 'Name' })
    await user.type(field, 'assistant{Enter}')
    expect((await dialog.findByRole('alert')).textContent).toContain('A component with this name exists')
    expect(field).toHaveProperty('value', 'assistant')
    onRequest('POST /components', { id: idOf(9) })
    await user.type(field, ' 2{Enter}')
    await heading('triage')
    expect(requestsOf('POST /components').at(-1)?.body).toEqual({ name: 'assistant 2' })
  })

  it.each([
    ['Escape', (user: ReturnType<typeof openPage>) => user.keyboard('{Escape}')],
    ['Cancel', (user: ReturnType<typeof openPage>) => user.click(screen.getByRole('button', { name: 'Cancel' }))],
    [
      'the close button',
      (user: ReturnType<typeof openPage>) => user.click(screen.getByRole('button', { name: 'Close' })),
    ],
  ])('%s closes it and sends nothing', async (_way, leave) => {
    const { user, dialog } = await openDialog()
    expect(address()).toBe(`${PAGE}?new=true`)
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'triage')
    await leave(user)
    await eventually(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(address()).toBe(PAGE)
    expect(requestsOf('POST /components')).toEqual([])
  })
})
