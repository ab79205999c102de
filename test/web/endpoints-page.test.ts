import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Endpoint, EndpointTest, Role } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport('settings/endpoints')
const STAGING: Endpoint = {
  ...exampleOf<Endpoint>('Endpoint'),
  id: idOf(50),
  name: 'staging',
  baseUrl: 'https://staging.example.com/answer',
  headerNames: ['authorization', 'x-tenant'],
  concurrency: 4,
  requestsPerMinute: 500,
  timeoutSeconds: 60,
}
const OPEN: Endpoint = { ...STAGING, id: idOf(51), name: 'open', headerNames: [], requestsPerMinute: null }
const SECRET = 'Bearer very-secret'

async function openEndpoints(role: Role = 'admin', endpoints = [STAGING]) {
  signIn(role)
  onRequest('GET /endpoints', { data: endpoints })
  const user = openPage(PAGE)
  await heading('Endpoints')
  return user
}

const card = async (name: string) => within(await screen.findByRole('listitem', { name }))

async function openDialog(button: string, title: string) {
  const user = await openEndpoints()
  await user.click(await screen.findByRole('button', { name: button }))
  return { user, dialog: within(await screen.findByRole('dialog', { name: title })) }
}

describe('endpoints page', () => {
  it('shows the base URL, the names of the headers and the limits', async () => {
    await openEndpoints('viewer', [STAGING, OPEN])
    const facts = async (name: string) =>
      (await card(name)).getAllByRole('definition').map(({ textContent }) => textContent)
    expect(await facts('staging')).toEqual([
      'authorizationx-tenant',
      '4 requests at a time, 500 per minute, 60 seconds for each',
    ])
    expect(await facts('open')).toEqual(['none', '4 requests at a time, 60 seconds for each'])
    expect((await card('staging')).getByText(STAGING.baseUrl)).toBeTruthy()
  })

  it('explains an empty list', async () => {
    await openEndpoints('admin', [])
    await heading('No endpoint yet')
  })

  it('an editor sees the endpoints, and which role may manage them', async () => {
    const user = await openEndpoints('editor')
    const description = 'Managing endpoints requires the role admin; yours is editor.'
    for (const name of ['Add an endpoint', 'Test staging', 'Edit staging']) {
      await user.click(await screen.findByRole('button', { name, description }))
    }
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(screen.queryByRole('button', { name: 'More for staging' })).toBeNull()
  })

  it('creates an endpoint, and its headers are gone from the page afterwards', async () => {
    const user = await openEndpoints('admin', [])
    onRequest('POST /endpoints', () => {
      onRequest('GET /endpoints', { data: [STAGING] })
      return STAGING
    })
    await user.click(screen.getByRole('button', { name: 'Add an endpoint' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add an endpoint' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), ' staging ')
    await user.type(dialog.getByRole('textbox', { name: 'Base URL' }), STAGING.baseUrl)
    await user.click(dialog.getByRole('button', { name: 'Add a header' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name of header 1' }), 'Authorization')
    const value = dialog.getByLabelText('Value of header 1')
    expect(value).toHaveProperty('type', 'password')
    await user.type(value, SECRET)
    await user.click(dialog.getByRole('button', { name: 'Add a header' }))
    await user.click(dialog.getByRole('button', { name: 'Remove header 2' }))
    await user.click(dialog.getByRole('button', { name: 'Add' }))
    await screen.findByText('Added staging. Test it to see what it answers.')
    await card('staging')
    expect(requestsOf('POST /endpoints').map(({ body }) => body)).toEqual([
      {
        name: 'staging',
        baseUrl: STAGING.baseUrl,
        headers: { Authorization: SECRET },
        concurrency: 4,
        requestsPerMinute: null,
        timeoutSeconds: 60,
      },
    ])
    expect(address()).toBe(PAGE)
    await eventually(() => expect(document.body.innerHTML).not.toContain(SECRET))
  })

  it('shows why the server rejects an endpoint, and the typed text stays', async () => {
    const message = 'The field baseUrl cannot be used: the host is on a private network'
    signIn()
    onRequest('POST /endpoints', failed(400, message))
    const user = openPage(`${PAGE}?new=true`)
    const dialog = within(await screen.findByRole('dialog', { name: 'Add an endpoint' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'local')
    await user.type(dialog.getByRole('textbox', { name: 'Base URL' }), 'http://10.0.0.1/{Enter}')
    expect((await dialog.findByRole('alert')).textContent).toContain(message)
    expect(dialog.getByRole('textbox', { name: 'Base URL' })).toHaveProperty('value', 'http://10.0.0.1/')
  })

  it('editing sends only what changed: new values, removed headers, and nothing of headers that stay', async () => {
    const { user, dialog } = await openDialog('Edit staging', 'Edit endpoint')
    onRequest('PATCH /endpoints/{endpointId}', STAGING)
    expect(dialog.getByLabelText('Value of header 1')).toHaveProperty('value', '')
    await user.click(dialog.getByRole('button', { name: 'Remove x-tenant' }))
    await user.click(dialog.getByRole('button', { name: 'Add a header' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name of header 2' }), 'x-api-key')
    await user.type(dialog.getByLabelText('Value of header 2'), SECRET)
    await user.clear(dialog.getByRole('spinbutton', { name: 'Requests per minute' }))
    await user.click(dialog.getByRole('button', { name: 'Save changes' }))
    await screen.findByText('Saved staging.')
    expect(requestsOf('PATCH /endpoints/{endpointId}')).toMatchObject([{ params: { endpointId: STAGING.id } }])
    expect(requestsOf('PATCH /endpoints/{endpointId}').map(({ body }) => body)).toEqual([
      { requestsPerMinute: null, headers: { 'x-tenant': null, 'x-api-key': SECRET } },
    ])
  })

  it('a new base URL needs the values of the headers again', async () => {
    const { user, dialog } = await openDialog('Edit staging', 'Edit endpoint')
    onRequest('PATCH /endpoints/{endpointId}', STAGING)
    await user.type(dialog.getByRole('textbox', { name: 'Base URL' }), '/v2')
    expect(dialog.getByText('A new base URL removes the headers')).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Save changes' }))
    expect(requestsOf('PATCH /endpoints/{endpointId}')).toEqual([])
    await user.type(dialog.getByLabelText('Value of header 1'), SECRET)
    await user.click(dialog.getByRole('button', { name: 'Remove x-tenant' }))
    await user.click(dialog.getByRole('button', { name: 'Save changes' }))
    await screen.findByText('Saved staging.')
    expect(requestsOf('PATCH /endpoints/{endpointId}').map(({ body }) => body)).toEqual([
      { baseUrl: `${STAGING.baseUrl}/v2`, headers: { authorization: SECRET, 'x-tenant': null } },
    ])
  })

  it('an edit without a change sends nothing', async () => {
    const { user, dialog } = await openDialog('Edit staging', 'Edit endpoint')
    await user.click(dialog.getByRole('button', { name: 'Save changes' }))
    await eventually(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(requestsOf('PATCH /endpoints/{endpointId}')).toEqual([])
  })

  it('a test sends body, input and pointer, and shows what came back in words', async () => {
    const { user, dialog } = await openDialog('Test staging', 'Test staging')
    const result: EndpointTest = {
      ok: true,
      summary: 'staging returned 200 after 12 ms',
      status: 200,
      durationMs: 12,
      answer: '{"text":"On its way"}',
      output: 'On its way',
    }
    onRequest('POST /endpoints/{endpointId}/test', result)
    await user.clear(dialog.getByRole('textbox', { name: /^Output/ }))
    await user.type(dialog.getByRole('textbox', { name: /^Output/ }), '/text')
    await user.click(dialog.getByRole('button', { name: 'Test' }))
    const status = (await dialog.findByText('It works')).closest('[role=status]')
    expect(status?.textContent).toContain('staging returned 200 after 12 ms.')
    expect(status?.textContent).toContain('{"text":"On its way"}')
    expect(dialog.getByRole('tree', { name: 'Output' }).textContent).toContain('On its way')
    expect(requestsOf('POST /endpoints/{endpointId}/test')).toMatchObject([{ params: { endpointId: STAGING.id } }])
    expect(requestsOf('POST /endpoints/{endpointId}/test').map(({ body }) => body)).toEqual([
      {
        body: { question: '{{input.question}}' },
        input: { question: 'Where is my order?' },
        output: '/text',
      },
    ])
  })

  it('a test that fails shows the reason and the answer, or why there is none', async () => {
    const { user, dialog } = await openDialog('Test staging', 'Test staging')
    const result = {
      ok: false,
      summary: 'staging returned 500',
      status: 500,
      durationMs: 1,
      answer: null,
      output: null,
    }
    onRequest('POST /endpoints/{endpointId}/test', result)
    await user.click(dialog.getByRole('button', { name: 'Test' }))
    const status = (await dialog.findByText('It does not work')).closest('[role=status]')
    expect(status?.textContent).toContain('staging returned 500.')
    expect(status?.textContent).toContain('Not shown: it is too large, or has the value of a header.')
    onRequest('POST /endpoints/{endpointId}/test', failed(400, '"answer" is not a JSON Pointer'))
    await user.click(dialog.getByRole('button', { name: 'Test' }))
    expect((await dialog.findByRole('alert')).textContent).toContain('"answer" is not a JSON Pointer')
  })

  it('deleting names the consequence, then removes the endpoint', async () => {
    const user = await openEndpoints()
    await user.click(await screen.findByRole('button', { name: 'More for staging' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete endpoint…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Delete endpoint' })
    expect(dialog.textContent).toContain('staging and its headers are deleted.')
    onRequest('GET /endpoints', { data: [] })
    await user.click(within(dialog).getByRole('button', { name: 'Delete endpoint' }))
    await screen.findByText('Deleted staging.')
    await heading('No endpoint yet')
    expect(requestsOf('DELETE /endpoints/{endpointId}')).toMatchObject([{ params: { endpointId: STAGING.id } }])
  })
})
