import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Connection, Role } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport('settings/models')
const OPENAI: Connection = {
  ...exampleOf<Connection>('Connection'),
  id: idOf(50),
  name: 'OpenAI',
  kind: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  hasKey: true,
  models: ['gpt-5-mini', 'gpt-5'],
  concurrency: 4,
  requestsPerMinute: 500,
}
const LOCAL: Connection = { ...OPENAI, id: idOf(51), name: 'vLLM', hasKey: false, models: [], requestsPerMinute: null }
const SECRET = 'sk-very-secret'

async function openModels(role: Role = 'admin', connections = [OPENAI]) {
  signIn(role)
  onRequest('GET /connections', { data: connections })
  onRequest('GET /instance/allowed-targets', { targets: [], mayChange: false })
  const user = openPage(PAGE)
  await heading('Models')
  return user
}

const card = async (name: string) => within(await screen.findByRole('listitem', { name }))

async function openEdit() {
  const user = await openModels()
  await user.click(await screen.findByRole('button', { name: 'Edit OpenAI' }))
  return { user, dialog: within(await screen.findByRole('dialog', { name: 'Edit connection' })) }
}

describe('models page', () => {
  it('shows the base URL, the models, the limits and whether a key is set', async () => {
    await openModels('editor', [OPENAI, { ...LOCAL, kind: 'gemini' }])
    const facts = async (name: string) =>
      (await card(name)).getAllByRole('definition').map(({ textContent }) => textContent)
    expect(await facts('OpenAI')).toEqual([
      'OpenAI and compatible endpoints',
      'set',
      'gpt-5-minidefaultgpt-5',
      '4 requests at a time, 500 per minute',
    ])
    expect(await facts('vLLM')).toEqual([
      'Google Gemini',
      'no key',
      'none; each judge must name its model',
      '4 requests at a time',
    ])
    expect((await card('OpenAI')).getByText('https://api.openai.com/v1')).toBeTruthy()
  })

  it('explains an empty list', async () => {
    await openModels('admin', [])
    await heading('No model connected yet')
  })

  it.each(['viewer', 'annotator'] as const)('does not request the connections as %s, and says why', async (role) => {
    await openModels(role)
    await heading('Not for your role')
    expect(screen.getByText(new RegExp(`^Seeing the models requires the role editor; yours is ${role}.`))).toBeTruthy()
    expect(requestsOf('GET /connections')).toEqual([])
  })

  it('an editor sees the connections, and which role may manage them', async () => {
    const user = await openModels('editor')
    const description = 'Managing models requires the role admin; yours is editor.'
    for (const name of ['Connect a model', 'Test OpenAI', 'Edit OpenAI']) {
      await user.click(await screen.findByRole('button', { name, description }))
    }
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(screen.queryByRole('button', { name: 'More for OpenAI' })).toBeNull()
    expect(requestsOf('POST /connections/{connectionId}/test')).toEqual([])
  })

  it.each([
    [true, 'It works', 'OpenAI responded with 2 models', ['gpt-5', 'gpt-5-mini']],
    [false, 'It does not work', 'OpenAI returned 401: the key was rejected', []],
  ])('the result of a test is shown in words: ok %s', async (ok, title, summary, models) => {
    const user = await openModels()
    onRequest('POST /connections/{connectionId}/test', { ok, summary, models })
    await user.click(await screen.findByRole('button', { name: 'Test OpenAI' }))
    const status = await (await card('OpenAI')).findByText(title)
    expect(status.closest('[role=status]')?.textContent).toBe(`${title}${summary}.${models.join(', ')}`)
    expect(requestsOf('POST /connections/{connectionId}/test')).toMatchObject([{ params: { connectionId: OPENAI.id } }])
  })

  it('a test takes the models over if the connection has none; the first becomes the default', async () => {
    const user = await openModels('admin', [LOCAL])
    onRequest('POST /connections/{connectionId}/test', {
      ok: true,
      summary: 'vLLM responded',
      models: ['llama', 'qwen'],
    })
    await user.click(await screen.findByRole('button', { name: 'Test vLLM' }))
    await eventually(() => expect(requestsOf('PATCH /connections/{connectionId}')).toHaveLength(1))
    expect(requestsOf('PATCH /connections/{connectionId}')[0]).toMatchObject({
      params: { connectionId: LOCAL.id },
      body: { models: ['llama', 'qwen'] },
    })
  })

  it('a test that could not run shows the error', async () => {
    const user = await openModels()
    onRequest('POST /connections/{connectionId}/test', failed(404, 'Connection not found'))
    await user.click(await screen.findByRole('button', { name: 'Test OpenAI' }))
    expect((await (await card('OpenAI')).findByRole('alert')).textContent).toContain('Connection not found')
  })

  it('creates a connection, and the key is gone from the page afterwards', async () => {
    const user = await openModels('admin', [])
    onRequest('POST /connections', () => {
      onRequest('GET /connections', { data: [OPENAI] })
      return OPENAI
    })
    await user.click(screen.getByRole('button', { name: 'Connect a model' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Connect a model' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), ' OpenAI ')
    await user.type(dialog.getByRole('textbox', { name: 'Base URL' }), OPENAI.baseUrl)
    await user.type(dialog.getByLabelText(/^API key/), SECRET)
    expect(dialog.getByLabelText(/^API key/)).toHaveProperty('type', 'password')
    await user.type(dialog.getByRole('textbox', { name: 'Models' }), 'gpt-5-mini{Enter}{Enter} gpt-5,o5')
    await user.type(dialog.getByRole('textbox', { name: 'Models that end' }), 'gpt-4o  2026-12-11{Enter}')
    await user.type(dialog.getByRole('spinbutton', { name: 'Requests per minute' }), '500')
    await user.click(dialog.getByRole('button', { name: 'Connect' }))
    await screen.findByText('Connected OpenAI. Test it to see its models.')
    await card('OpenAI')
    expect(requestsOf('POST /connections').map(({ body }) => body)).toEqual([
      {
        name: 'OpenAI',
        kind: 'openai',
        baseUrl: OPENAI.baseUrl,
        apiKey: SECRET,
        models: ['gpt-5-mini', 'gpt-5', 'o5'],
        retirements: [{ model: 'gpt-4o', on: '2026-12-11' }],
        concurrency: 4,
        requestsPerMinute: 500,
      },
    ])
    expect(address()).toBe(PAGE)
    await eventually(() => expect(document.body.innerHTML).not.toContain(SECRET))
  })

  it('allows the address of a model on this machine in one click, and creates the connection', async () => {
    const user = await openModels()
    const target = 'localhost:11434'
    onRequest('GET /instance/allowed-targets', { targets: [], mayChange: true })
    onRequest(
      'POST /connections',
      failed(
        400,
        `The address must begin with https://. In a network of yours, an admin of all applications can allow ${target} on the page Models of the settings`,
      ),
    )
    onRequest('PUT /instance/allowed-targets', () => {
      onRequest('POST /connections', LOCAL)
      return { targets: [target], mayChange: true }
    })
    await user.click(screen.getByRole('button', { name: 'Connect a model' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Connect a model' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'vLLM')
    await user.type(dialog.getByRole('textbox', { name: /^Base URL/ }), `http://${target}/v1`)
    await user.click(dialog.getByRole('button', { name: 'Connect' }))
    await user.click(await dialog.findByRole('button', { name: `Allow ${target} and try again` }))
    await screen.findByText('Connected vLLM. Test it to see its models.')
    expect(requestsOf('PUT /instance/allowed-targets')).toMatchObject([{ body: { targets: [target] } }])
    await user.click(await screen.findByRole('button', { name: `Do not allow ${target} any longer` }))
    await eventually(() => expect(requestsOf('PUT /instance/allowed-targets')).toHaveLength(2))
  })

  it('creates a connection to another API, by default at the address of its provider', async () => {
    const user = await openModels('admin', [])
    onRequest('POST /connections', { ...OPENAI, kind: 'anthropic' })
    await user.click(screen.getByRole('button', { name: 'Connect a model' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Connect a model' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Claude')
    await user.selectOptions(dialog.getByRole('combobox', { name: 'API' }), 'Anthropic')
    expect(dialog.getByRole('textbox', { name: /^Base URL/ })).toHaveProperty(
      'placeholder',
      'https://api.anthropic.com/v1',
    )
    await user.click(dialog.getByRole('button', { name: 'Connect' }))
    await eventually(() => expect(requestsOf('POST /connections')).toHaveLength(1))
    const [request] = requestsOf('POST /connections')
    expect(request?.body).toMatchObject({ name: 'Claude', kind: 'anthropic' })
    expect(request?.body).not.toHaveProperty('baseUrl')
  })

  it('another API changes the address of the provider, and warns that this removes the key', async () => {
    const { user, dialog } = await openEdit()
    await user.selectOptions(dialog.getByRole('combobox', { name: 'API' }), 'Google Gemini')
    const baseUrl = 'https://generativelanguage.googleapis.com/v1beta'
    expect(dialog.getByRole('textbox', { name: 'Base URL' })).toHaveProperty('value', baseUrl)
    expect(dialog.getByText('A new base URL removes the key')).toBeTruthy()
    onRequest('PATCH /connections/{connectionId}', { ...OPENAI, kind: 'gemini', baseUrl, hasKey: false })
    await user.click(dialog.getByRole('button', { name: 'Save changes' }))
    await screen.findByText('Saved OpenAI, without a key.')
    expect(requestsOf('PATCH /connections/{connectionId}').map(({ body }) => body)).toEqual([
      { kind: 'gemini', baseUrl },
    ])
  })

  it('shows why the server rejects a connection, and the typed text stays', async () => {
    signIn()
    const message = 'The field baseUrl cannot be used: the host is on a private network'
    onRequest('POST /connections', failed(400, message))
    const user = openPage(`${PAGE}?new=true`)
    const dialog = within(await screen.findByRole('dialog', { name: 'Connect a model' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Local')
    await user.type(dialog.getByRole('textbox', { name: 'Base URL' }), 'http://10.0.0.1/v1{Enter}')
    expect((await dialog.findByRole('alert')).textContent).toContain(message)
    expect(dialog.getByRole('textbox', { name: 'Base URL' })).toHaveProperty('value', 'http://10.0.0.1/v1')
    const [request] = requestsOf('POST /connections')
    expect(request?.body).toMatchObject({ models: [], concurrency: 4, requestsPerMinute: null })
    expect(request?.body).not.toHaveProperty('apiKey')
  })

  it('editing sends only what changed, and keeps the key', async () => {
    const { user, dialog } = await openEdit()
    onRequest('PATCH /connections/{connectionId}', { ...OPENAI, models: ['gpt-5-mini'] })
    await user.clear(dialog.getByRole('textbox', { name: 'Models' }))
    await user.type(dialog.getByRole('textbox', { name: 'Models' }), 'gpt-5-mini')
    await user.type(dialog.getByRole('textbox', { name: 'Base URL' }), '/')
    expect(dialog.queryByText('A new base URL removes the key')).toBeNull()
    await user.clear(dialog.getByRole('spinbutton', { name: 'Requests per minute' }))
    await user.type(dialog.getByRole('textbox', { name: 'Models that end' }), 'gpt-5 2026-12-11')
    await user.click(dialog.getByRole('button', { name: 'Save changes' }))
    await screen.findByText('Saved OpenAI.')
    expect(requestsOf('PATCH /connections/{connectionId}')).toMatchObject([{ params: { connectionId: OPENAI.id } }])
    expect(requestsOf('PATCH /connections/{connectionId}').map(({ body }) => body)).toEqual([
      { models: ['gpt-5-mini'], retirements: [{ model: 'gpt-5', on: '2026-12-11' }], requestsPerMinute: null },
    ])
  })

  it('warns that a new base URL removes the key, and says when it did', async () => {
    const { user, dialog } = await openEdit()
    onRequest('PATCH /connections/{connectionId}', { ...OPENAI, hasKey: false })
    await user.type(dialog.getByRole('textbox', { name: 'Base URL' }), '/eu')
    expect(dialog.getByText('A new base URL removes the key')).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Save changes' }))
    await screen.findByText('Saved OpenAI, without a key.')
    expect(requestsOf('PATCH /connections/{connectionId}').map(({ body }) => body)).toEqual([
      { baseUrl: 'https://api.openai.com/v1/eu' },
    ])
  })

  it('an edit without a change sends nothing', async () => {
    const { user, dialog } = await openEdit()
    await user.click(dialog.getByRole('button', { name: 'Save changes' }))
    await eventually(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(requestsOf('PATCH /connections/{connectionId}')).toEqual([])
  })

  it('removing the key asks for confirmation, and a connection without one offers no removal', async () => {
    const user = await openModels('admin', [OPENAI, LOCAL])
    onRequest('PATCH /connections/{connectionId}', () => {
      onRequest('GET /connections', { data: [{ ...OPENAI, hasKey: false }] })
      return { ...OPENAI, hasKey: false }
    })
    await user.click(await screen.findByRole('button', { name: 'More for vLLM' }))
    expect(screen.queryByRole('menuitem', { name: 'Remove key…' })).toBeNull()
    await user.keyboard('{Escape}')
    await user.click(await screen.findByRole('button', { name: 'More for OpenAI' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Remove key…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove key' }))
    expect(requestsOf('PATCH /connections/{connectionId}')).toEqual([])
    await user.click(dialog.getByRole('button', { name: 'Remove key' }))
    await screen.findByText('Removed the key of OpenAI.')
    await (await card('OpenAI')).findByText('no key')
    expect(requestsOf('PATCH /connections/{connectionId}').map(({ body }) => body)).toEqual([{ apiKey: null }])
  })

  it('deleting names the consequence, then removes the connection', async () => {
    const user = await openModels()
    await user.click(await screen.findByRole('button', { name: 'More for OpenAI' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete connection…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Delete connection' })
    expect(dialog.textContent).toContain('OpenAI and its key are deleted. Evaluations that use it will fail.')
    onRequest('GET /connections', { data: [] })
    await user.click(within(dialog).getByRole('button', { name: 'Delete connection' }))
    await screen.findByText('Deleted OpenAI.')
    await heading('No model connected yet')
    expect(requestsOf('DELETE /connections/{connectionId}')).toMatchObject([{ params: { connectionId: OPENAI.id } }])
  })

  it('a list that could not be loaded is requested again', async () => {
    signIn()
    onRequest('GET /connections', failed(403, 'Forbidden'))
    const user = openPage(PAGE)
    expect((await screen.findByRole('alert')).textContent).toContain('req-1')
    onRequest('GET /connections', { data: [OPENAI] })
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await card('OpenAI')
  })
})
