import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { View } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ADA, address, eventually, idOf } from './open-page.ts'
import { layOutTable, openTraces, PAGE } from './open-traces.ts'

layOutTable()

const SLOW: View = {
  ...exampleOf<View>('View'),
  id: idOf(50),
  name: 'Slow answers',
  query: 'latency:>5s',
  sort: '-duration',
  columns: ['content', 'duration'],
  shared: false,
  userId: ADA.id,
}
const FAILED: View = { ...SLOW, id: idOf(51), name: 'Failures', query: 'status:error', shared: true, userId: idOf(9) }

type User = ReturnType<typeof openTraces>

const search = () => Object.fromEntries(new URLSearchParams(address().split('?')[1]))
const openMenu = async (user: User, name: RegExp) => user.click(await screen.findByRole('button', { name }))
const choose = async (user: User, name: string) => user.click(await screen.findByRole('menuitem', { name }))
const openView = async (user: User, name: RegExp) => user.click(await screen.findByRole('menuitemradio', { name }))

function withViews(...views: View[]): void {
  onRequest('GET /views', { data: views })
}

describe('saved views', () => {
  it('opening one shows its query, order and columns, and the address has all of them', async () => {
    withViews(SLOW, FAILED)
    const user = openTraces()
    await openMenu(user, /^Views$/)
    within(await screen.findByRole('group', { name: 'Shared by others' })).getByText('Failures')
    await openView(user, /Slow answers/)
    await eventually(() =>
      expect(search()).toEqual({ view: SLOW.id, q: 'latency:>5s', sort: '-duration', cols: 'content,duration' }),
    )
    await screen.findByRole('button', { name: 'Slow answers' })
    expect(screen.queryByRole('columnheader', { name: 'Cost' })).toBeNull()
  })

  it('an address with only the id of a view shows the view', async () => {
    withViews(SLOW)
    openTraces(undefined, `${PAGE}?view=${SLOW.id}`)
    await eventually(() => expect(search()).toMatchObject({ q: 'latency:>5s', sort: '-duration' }))
  })

  it('a change is marked, and saving it changes the view', async () => {
    withViews(SLOW)
    const user = openTraces(undefined, `${PAGE}?view=${SLOW.id}`)
    const field = await screen.findByRole('combobox', { name: 'Query' })
    await screen.findByRole('button', { name: 'Slow answers' })
    await user.clear(field)
    await user.type(field, 'latency:>9s{Enter}')
    await openMenu(user, /Slow answers changed/)
    onRequest('PATCH /views/{viewId}', { ...SLOW, query: 'latency:>9s' })
    withViews({ ...SLOW, query: 'latency:>9s' })
    await choose(user, 'Save changes')
    await screen.findByRole('button', { name: 'Slow answers' })
    expect(requestsOf('PATCH /views/{viewId}').map(({ body }) => body)).toEqual([
      { query: 'latency:>9s', sort: '-duration', columns: ['content', 'duration'] },
    ])
  })

  it('a query that was removed from a view stays removed when the page is loaded again', async () => {
    withViews(SLOW)
    const user = openTraces(undefined, `${PAGE}?view=${SLOW.id}`)
    await screen.findByRole('button', { name: 'Slow answers' })
    await user.click(await screen.findByRole('button', { name: 'Clear' }))
    await eventually(() => expect(search()).toMatchObject({ view: SLOW.id, q: '' }))
    await screen.findByRole('button', { name: /Slow answers changed/ })
  })

  it('saves the current view under a free name', async () => {
    withViews(SLOW)
    const user = openTraces(undefined, `${PAGE}?q=refund&sort=-cost`)
    await openMenu(user, /^Views$/)
    await choose(user, 'Save this view…')
    const name = await screen.findByRole('textbox', { name: 'Name' })
    await user.type(name, 'Slow answers{Enter}')
    await screen.findByText('You have a view with this name.')
    expect(requestsOf('POST /views')).toEqual([])
    const saved = { ...SLOW, id: idOf(52), name: 'Refunds', query: 'refund', sort: '-cost', columns: [], shared: true }
    onRequest('POST /views', saved)
    withViews(SLOW, saved)
    await user.clear(name)
    await user.type(name, 'Refunds')
    await user.click(screen.getByRole('checkbox', { name: /Share it/ }))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByRole('button', { name: 'Refunds' })
    expect(requestsOf('POST /views').map(({ body }) => body)).toEqual([
      { name: 'Refunds', shared: true, query: 'refund', sort: '-cost', columns: [] },
    ])
    expect(search()).toEqual({ view: saved.id, q: 'refund', sort: '-cost' })
  })

  it('an error of the server is shown in the dialog, and nothing typed is lost', async () => {
    withViews()
    const user = openTraces()
    await openMenu(user, /^Views$/)
    await choose(user, 'Save this view…')
    onRequest('POST /views', failed(409, 'A member has at most 200 views; delete one first'))
    const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' })
    await user.type(name, 'Refunds{Enter}')
    await screen.findByText('A member has at most 200 views; delete one first')
    expect(name.value).toBe('Refunds')
  })

  it('a viewer cannot share, and reads why', async () => {
    withViews()
    const user = openTraces(undefined, PAGE, 'viewer')
    await openMenu(user, /^Views$/)
    await choose(user, 'Save this view…')
    await screen.findByText('Sharing a view requires the role editor; yours is viewer.')
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /Share it/ }).disabled).toBe(true)
  })

  it('deleting asks for confirmation, and the list does not change', async () => {
    withViews(SLOW)
    const user = openTraces(undefined, `${PAGE}?view=${SLOW.id}`)
    await openMenu(user, /^Slow answers$/)
    await choose(user, 'Delete the view…')
    withViews()
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    await screen.findByText('Deleted the view “Slow answers”.')
    await eventually(() => expect(search()).toMatchObject({ q: 'latency:>5s', sort: '-duration' }))
    expect(search()['view']).toBeUndefined()
  })

  it('a view of another member cannot be changed, only saved as a new one', async () => {
    withViews(FAILED)
    const user = openTraces(undefined, `${PAGE}?view=${FAILED.id}&q=other`)
    await openMenu(user, /Failures changed/)
    await screen.findByRole('menuitem', { name: 'Save as a new view…' })
    for (const name of ['Save changes', 'Rename or share…', 'Delete the view…'])
      expect(screen.queryByRole('menuitem', { name })).toBeNull()
  })
})
