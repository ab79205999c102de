import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { failed, networkFailure, onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, SUPPORT, signIn } from './open-page.ts'

const PAGE = inSupport('components')

const manyComponents = (count: number, from = 0) =>
  Array.from({ length: count }, (_, row) => ({ ...ASSISTANT, id: idOf(1000 + from + row), name: `part ${from + row}` }))

describe('components page', () => {
  it('says that it is loading until the list arrives', async () => {
    signIn()
    const held = Promise.withResolvers<object>()
    onRequest('GET /components', () => held.promise)
    openPage(PAGE)
    await heading('Components')
    expect(screen.getByText('Loading…').closest('[role=status]')).toBeTruthy()
    held.resolve({ data: [ASSISTANT] })
    await screen.findByRole('table', { name: 'Components' })
    expect(screen.queryByText('Loading…')).toBeNull()
  })

  it('explains an empty list, with the command that creates the first component', async () => {
    signIn()
    openPage(PAGE)
    await heading('No component yet')
    expect(screen.getByText(/^curl -X POST "http:\/\/localhost:3000\/api\/v1\/components"/)).toBeTruthy()
    expect(screen.getAllByRole('button', { name: 'New component' })).toHaveLength(1)
  })

  it('shows why the list cannot be shown, with the id of the request', async () => {
    signIn()
    onRequest('GET /components', failed(403, 'This request requires the role viewer; yours is none'))
    const user = openPage(PAGE)
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('This request requires the role viewer; yours is none')
    expect(within(alert).getByText('req-1')).toBeTruthy()
    await user.click(within(alert).getByRole('button', { name: 'Copy error' }))
    expect(await navigator.clipboard.readText()).toBe(
      'This request requires the role viewer; yours is none (request req-1)',
    )
    expect(requestsOf('GET /components')).toHaveLength(1)
  })

  it.each([
    ['is overloaded', () => failed(503, 'Try again later'), 'Try again later'],
    ['cannot be reached', networkFailure, /^The server did not answer\./],
  ])('retries a server that %s twice before it shows why', async (_state, responder, message) => {
    signIn()
    onRequest('GET /components', responder)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    openPage(PAGE)
    while (!screen.queryByText(message)) await vi.advanceTimersByTimeAsync(500)
    expect(requestsOf('GET /components')).toHaveLength(3)
  })

  it('shows each component with a link, its description and the end of its id', async () => {
    signIn()
    onRequest('GET /components', { data: [{ ...ASSISTANT, description: 'First-line answers.' }] })
    openPage(PAGE)
    const row = await screen.findByRole('row', { name: /^assistant/ })
    expect(within(row).getByRole('link', { name: 'assistant' }).getAttribute('href')).toBe(
      inSupport(`c/${ASSISTANT.id}`),
    )
    expect(within(row).getByText('First-line answers.')).toBeTruthy()
    expect(within(row).getByText('…00000003')).toBeTruthy()
    expect(requestsOf('GET /components')[0]).toMatchObject({ applicationId: SUPPORT.id })
    await eventually(() => expect(document.title).toBe('Components · Support · Touchstone'))
  })

  it('loads more rows on request, shows a row that moved only once, and ends with the last page', async () => {
    signIn()
    const pages: Record<string, object> = { 0: manyComponents(50), 50: [...manyComponents(1, 49), ASSISTANT] }
    onRequest('GET /components', ({ query }) => ({ data: pages[query['offset'] ?? ''] ?? [] }))
    const user = openPage(PAGE)
    await user.click(await screen.findByText('Load more'))
    await screen.findByText('assistant')
    expect(screen.getAllByText('part 49')).toHaveLength(1)
    expect(screen.queryByText('Load more')).toBeNull()
  })

  it('offers no more rows when the page is not full', async () => {
    signIn()
    onRequest('GET /components', { data: manyComponents(49) })
    openPage(PAGE)
    await screen.findByText('part 48')
    expect(screen.queryByText('Load more')).toBeNull()
  })

  it('keeps the rows when more cannot be loaded, and lets the user try again', async () => {
    signIn()
    let isDown = true
    onRequest('GET /components', ({ query }) => {
      if (query['offset'] === '0') return { data: manyComponents(50) }
      return isDown ? failed(429, 'Too many requests') : { data: [ASSISTANT] }
    })
    const user = openPage(PAGE)
    await user.click(await screen.findByText('Load more'))
    expect((await screen.findByRole('alert')).textContent).toContain('Too many requests')
    screen.getByText('part 0')
    isDown = false
    await user.click(screen.getByText('Load more'))
    await screen.findByText('assistant')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('shows a viewer which role creates and deletes components, and does neither', async () => {
    signIn('viewer')
    onRequest('GET /components', { data: [ASSISTANT] })
    const user = openPage(`${PAGE}?new=true`)
    const description = 'Changing components requires the role editor; yours is viewer.'
    await user.click(await screen.findByRole('button', { name: 'New component', description }))
    await user.click(screen.getByRole('button', { name: 'Delete assistant', description }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('deleting a component', () => {
  async function askToDelete() {
    signIn('editor')
    onRequest('GET /components', { data: [ASSISTANT] })
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('button', { name: 'Delete assistant' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete component' }))
    return { user, dialog }
  }

  it('requires its name, typed exactly', async () => {
    const { user, dialog } = await askToDelete()
    const field = dialog.getByRole('textbox', { name: /^Type .*assistant.* to confirm$/ })
    await user.type(field, 'Assistant{Enter}')
    const description = 'Type the name exactly as shown first.'
    await user.click(dialog.getByRole('button', { name: 'Delete component', description }))
    expect(requestsOf('DELETE /components/{componentId}')).toEqual([])
  })

  it('removes the row and says so', async () => {
    const { user, dialog } = await askToDelete()
    onRequest('DELETE /components/{componentId}', () => {
      onRequest('GET /components', { data: [] })
      return null
    })
    await user.type(dialog.getByRole('textbox'), 'assistant')
    await user.click(dialog.getByRole('button', { name: 'Delete component' }))
    await screen.findByText('Deleted assistant.')
    await heading('No component yet')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(requestsOf('DELETE /components/{componentId}')).toMatchObject([{ params: { componentId: ASSISTANT.id } }])
  })

  it('shows in the dialog why it failed', async () => {
    const { user, dialog } = await askToDelete()
    onRequest('DELETE /components/{componentId}', failed(409, 'An evaluation is running'))
    await user.type(dialog.getByRole('textbox'), 'assistant{Enter}')
    expect((await dialog.findByRole('alert')).textContent).toContain('An evaluation is running')
    expect(address()).toBe(PAGE)
  })
})
