import { describe, expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { CONTENT, FIND_INVOICE, type Row, rejected, seedPlayground, tried, VARIABLES } from './trying.ts'

const MISSING = '01890a5d-ac96-774b-bcce-b302099a8057'

const CASES: [name: string, body: Row, status: number, error: RegExp][] = [
  [
    'without all variables',
    { variables: { company: 'a' } },
    400,
    /^These variables of the prompt have no value: question; pass them/,
  ],
  ['with none of the variables', { variables: {} }, 400, /have no value: company, question;/],
  [
    'with a variable that is no text',
    { variables: { ...VARIABLES, company: 5 } },
    400,
    /^The variable company must be a string/,
  ],
  [
    'with an unknown placeholder',
    { variables: { ...VARIABLES, history: [] } },
    400,
    /^The prompt has no placeholder history; it has none/,
  ],
  [
    'with a placeholder that is no list of messages',
    {
      content: { ...CONTENT, messages: [...CONTENT.messages, { placeholder: 'history' }] },
      variables: { ...VARIABLES, history: 'x' },
    },
    400,
    /^The placeholder history must be a list of messages/,
  ],
  [
    'with a role that does not exist',
    {
      content: { ...CONTENT, messages: [{ placeholder: 'history' }] },
      variables: { history: [{ role: 'robot', content: 'x' }] },
    },
    400,
    /^Message 1 has the role "robot"; use system, developer, user, assistant or tool/,
  ],
  [
    'with placeholders that leave no message',
    { content: { ...CONTENT, messages: [{ placeholder: 'history' }] }, variables: { history: [] } },
    400,
    /^The prompt has no messages with these values/,
  ],
  [
    'that is too large once it is rendered',
    {
      content: { ...CONTENT, messages: [{ role: 'user', content: '{{a}}'.repeat(100) }] },
      variables: { a: 'x'.repeat(50_000) },
    },
    413,
    /^The messages have 5000500 bytes with these values, .* shorten a,/,
  ],
  ['with content and a version', { version: 1 }, 400, /exclude each other/],
  ['with neither of them', { content: undefined }, 400, /^Name a "version" of the prompt, or send "content"/],
  ['of a version that does not exist', { content: undefined, version: 7 }, 404, /version 7/],
  ['with an item that does not exist', { itemId: MISSING }, 404, /^Dataset item not found$/],
  ['with recorded answers and no item', { toolAnswers: 'recorded' }, 400, /send "itemId", or "toolAnswers": "ask"/],
  [
    'with a connection that does not exist',
    { provider: 'none' },
    400,
    /^There is no connection named "none"; send "provider"/,
  ],
  [
    'with an unknown parameter',
    { parameters: { n: 5 } },
    400,
    /^The parameter "n" is not known .* use one of temperature/,
  ],
  [
    'with a parameter twice',
    { parameters: { max_tokens: 5, maxTokens: 6 } },
    400,
    /max_tokens and maxTokens mean the same/,
  ],
  ['with a limit of tokens that is none', { parameters: { maxTokens: 0 } }, 400, /must be a whole number from 1/],
  [
    'with a tool of a provider',
    { content: { ...CONTENT, tools: [{ type: 'web_search' }] } },
    400,
    /^Tool 1 of the prompt \(web_search\) is not a function/,
  ],
  [
    'with two tools of one name',
    { content: { ...CONTENT, tools: [FIND_INVOICE, FIND_INVOICE] } },
    400,
    /^Two tools of the prompt have the name find_invoice/,
  ],
  [
    'with an unknown response format',
    { content: { ...CONTENT, responseFormat: { type: 'xml' } } },
    400,
    /^The response format of the prompt .* is not known; use/,
  ],
  [
    'that continues without an answer to each call',
    {
      content: { ...CONTENT, tools: [FIND_INVOICE] },
      continue: {
        conversation: [
          {
            role: 'assistant',
            content: '',
            toolCalls: [{ id: 'c1', name: 'find_invoice', arguments: '{}' }],
            native: null,
          },
        ],
        toolAnswers: [],
      },
    },
    400,
    /^These calls of tools have no answer in "continue": find_invoice \(c1\)/,
  ],
  [
    'that continues without tools',
    { continue: { conversation: [{ role: 'tool', toolCallId: 'c1', content: 'x' }], toolAnswers: [] } },
    400,
    /^The prompt has no tools, so there is no call to continue/,
  ],
]

describeEachEngine('a try', (app) => {
  it.each(CASES)('%s is rejected before a model is called, with the remedy', async (_, body, status, error) => {
    const playground = await seedPlayground(app())
    const answer = await rejected(playground, body)
    expect(answer.error).toMatch(error)
    expect(answer.status).toBe(status)
    expect(playground.server.requests).toEqual([])
  })

  it('needs the role editor, and rendering only viewer', async () => {
    const playground = await seedPlayground(app())
    const viewer = await browserWith(app(), playground.workspaceId, 'viewer')
    const body = { content: CONTENT, variables: VARIABLES }
    expect((await viewer.post(`${playground.path}/try`, body)).status).toBe(403)
    expect((await viewer.post(`${playground.path}/render`, body)).status).toBe(200)
  })

  describe('with Anthropic', () => {
    it.each([
      ['a seed', { parameters: { seed: 1 } }, /^The API of models has no seed; remove the parameter/],
      [
        'JSON without a schema',
        { content: { ...CONTENT, responseFormat: { type: 'json_object' } } },
        /only by a schema/,
      ],
      [
        'no message of a user',
        { content: { ...CONTENT, messages: CONTENT.messages.slice(0, 1) } },
        /needs one of the user/,
      ],
    ])('and %s is rejected, because its API cannot do it', async (_, body, error) => {
      const playground = await seedPlayground(app(), { kind: 'anthropic' })
      expect(await rejected(playground, body)).toMatchObject({ status: 400, error: expect.stringMatching(error) })
    })
  })

  it('takes the first model of another connection, instead of that of the content', async () => {
    const playground = await seedPlayground(app())
    const { events } = await tried(playground, {
      content: { ...CONTENT, provider: null, model: 'other' },
      provider: 'models',
    })
    expect(events[0]?.data).toMatchObject({ provider: 'models', model: 'model-1' })
  })
})

describeEachEngine('POST …/render', (app) => {
  it('returns the messages with the values of an item, those given first, and names unused ones', async () => {
    const playground = await seedPlayground(app())
    const { client, componentId, path } = playground
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Questions' })
    const input = JSON.stringify({ company: 'Item', question: { id: 5 }, other: [1] })
    const { body: added } = await client.post(`/components/${componentId}/datasets/${datasetId}/items`, [{ input }])
    const [item] = Array.isArray(added.data) ? added.data : []
    const { body, status } = await client.post(`${path}/render`, {
      content: CONTENT,
      itemId: item.id,
      variables: { company: 'Halden', more: 'x' },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      messages: [
        { role: 'system', content: 'You answer for Halden.' },
        { role: 'user', content: '{"id":5}' },
      ],
      unused: ['more'],
    })
  })

  it('gives values to variables with names that objects have already, from the request and from an item', async () => {
    const { client, componentId, path } = await seedPlayground(app())
    const content = { messages: [{ role: 'user', content: '{{__proto__}} {{constructor}} {{toString}}' }] }
    expect((await client.post(`${path}/versions`, { content })).body).toMatchObject({
      variables: ['__proto__', 'constructor', 'toString'],
    })
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Questions' })
    const input = '{"__proto__": "a", "constructor": "b"}'
    const { body: added } = await client.post(`/components/${componentId}/datasets/${datasetId}/items`, [{ input }])
    const [{ id: itemId }] = Object(added.data)
    const render = (body: Row) => client.post(`${path}/render`, { version: 1, ...body })
    expect((await render({})).body.error).toMatch(/have no value: __proto__, constructor, toString/)
    expect((await render({ itemId, variables: { toString: 'c' } })).body.messages).toMatchObject([{ content: 'a b c' }])
    const variables = JSON.parse('{"__proto__": "d", "constructor": "e", "toString": "f"}')
    expect((await render({ variables })).body.messages).toMatchObject([{ content: 'd e f' }])
  })

  it('gives the text of an item to the only variable without a value', async () => {
    const playground = await seedPlayground(app())
    const { client, componentId, path } = playground
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Questions' })
    const { body: added } = await client.post(`/components/${componentId}/datasets/${datasetId}/items`, [
      { input: 'Why?' },
    ])
    const [item] = Array.isArray(added.data) ? added.data : []
    const render = (variables: Row) => client.post(`${path}/render`, { content: CONTENT, itemId: item.id, variables })
    expect((await render({ company: 'Halden' })).body.messages).toContainEqual({ role: 'user', content: 'Why?' })
    expect((await render({})).body.error).toMatch(/have no value: company, question/)
  })
})
