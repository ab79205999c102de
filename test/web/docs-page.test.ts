import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import openapi from '../../openapi.json?raw'
import { failed, onRequest } from './mock-api.ts'
import { address, heading, openPage, silenceConsole } from './open-page.ts'

/** A part of the description: the whole one has too many elements for a fast test. */
const { paths, ...rest } = JSON.parse(openapi)
const shown = ['/components', '/api-keys/{keyId}', '/instance'].map((path) => [path, paths[path]])
const PART = { ...rest, paths: Object.fromEntries(shown) }

async function openDocs(search = '') {
  onRequest('GET /openapi.json', PART)
  const user = openPage(`/docs${search}`)
  return { user, field: await screen.findByRole('searchbox', { name: 'Search operations' }) }
}

/** Without the sign of the link to the operation. */
const titles = () =>
  screen
    .queryAllByRole('article')
    .map((article) => within(article).getByRole('heading', { level: 3 }).textContent?.replace(/#$/, ''))

describe('API reference', () => {
  it('shows each operation with its role, fields, responses and a command, without a session', async () => {
    await openDocs()
    expect(titles()).toHaveLength(4)
    const create = within(screen.getByRole('article', { name: /^Create a component/ }))
    expect(create.getByText(/ · role editor or above$/)).toBeTruthy()
    expect(create.getByText(/^API key or session with X-AI-Application-Id/)).toBeTruthy()
    expect(create.getByText('201')).toBeTruthy()
    expect(create.getByText(/^curl -X POST "http:\/\/localhost:3000\/api\/v1\/components"/).textContent).toContain(
      '-H "Authorization: Bearer $TOUCHSTONE_API_KEY"',
    )
    const open = within(screen.getByRole('article', { name: /^Get the version/ }))
    expect(open.getByText('No authentication')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Guide' }).getAttribute('href')).toBe('/guide/')
  })

  it('distinguishes what a key may do from what only a signed-in user may do', async () => {
    await openDocs()
    const revoke = within(screen.getByRole('article', { name: /^Revoke/ }))
    expect(revoke.getByText(/^Session with X-AI-Application-Id ·/)).toBeTruthy()
    expect(revoke.queryByText(/^API key/)).toBeNull()
    const command = revoke.getByText(/^curl -X DELETE/).textContent
    expect(command).toContain('-H "Authorization: Bearer $TOUCHSTONE_SESSION_TOKEN"')
    expect(command).toContain('-H "X-AI-Application-Id: $TOUCHSTONE_APPLICATION_ID"')
  })

  it('searching narrows the operations, counts them, and is kept in the address', async () => {
    const { user, field } = await openDocs()
    await user.type(field, 'components post')
    expect(await screen.findByText('1 operation matches')).toBeTruthy()
    expect(titles()).toEqual(['Create a component'])
    expect(address()).toBe('/docs?q=components+post')
    await user.clear(field)
    expect(titles()).toHaveLength(4)
    expect(address()).toBe('/docs')
  })

  it('a search in the address is applied; without a match it says so', async () => {
    const { field } = await openDocs('?q=zzz')
    expect(field).toHaveProperty('value', 'zzz')
    await heading('Nothing matches')
    expect(titles()).toEqual([])
  })

  it('shows why the description cannot be loaded', async () => {
    silenceConsole()
    onRequest('GET /openapi.json', failed(408, 'The request was not received in time'))
    openPage('/docs')
    await heading('This page could not be shown')
    expect(screen.getByRole('alert').textContent).toContain('The request was not received in time')
  })
})
