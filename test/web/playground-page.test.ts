import { fireEvent, screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PromptVersion, Spending } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, heading, openPage, reloadPage, signIn } from './open-page.ts'
import {
  answerOf,
  END,
  failedEnd,
  itemAt,
  LOOK_UP,
  PLAYGROUND_PAGE,
  servePlayground,
  streamed,
  TRY,
  TryStream,
} from './playground-examples.ts'
import { ONE, PROMPT_PAGE, rowOfVersion, versionOf } from './prompt-examples.ts'

type User = ReturnType<typeof openPage>

beforeEach(() => {
  signIn()
  servePlayground()
})

const runAll = () => screen.findByRole('button', { name: /^Run( all \d+)?$/ })
/** As soon as it can be pressed. */
async function run(user: User): Promise<void> {
  await eventually(async () => expect((await runAll()).getAttribute('aria-disabled')).toBeNull())
  await user.click(await runAll())
}

const field = (name: string, row = 1) => screen.findByRole('textbox', { name: `${name}, row ${row}` })
const sent = () => requestsOf(TRY).map(({ body }) => body as Record<string, unknown>)

/** The cell of a column and a row, from 1. */
async function cell(column: number, row = 1) {
  const table = await screen.findByRole('table')
  const found = within(table).getAllByRole('row')[row]?.querySelectorAll('td')[column - 1]
  if (!found) throw new Error(`There is no cell ${column} in row ${row}`)
  return within(found)
}

async function type(name: string, text: string, row = 1) {
  fireEvent.change(await field(name, row), { target: { value: text } })
}

/** With values for all variables of the examples. */
async function openFilled(query = ''): Promise<User> {
  const user = openPage(`${PLAYGROUND_PAGE}${query}`)
  await type('question', 'Where is my order?')
  await type('company', 'Halden')
  return user
}

/** A saved version with tools and a schema. */
function withTools(): void {
  onRequest(`GET ${ONE}/versions/{number}`, ({ params }): PromptVersion => {
    const version = versionOf(Number(params['number']))
    const schema = { type: 'object', properties: { citations: { type: 'array' } }, required: ['citations'] }
    const responseFormat = { type: 'json_schema', json_schema: { name: 'answer', schema } }
    const tools = [{ type: 'function', function: { name: 'order_lookup' } }]
    return { ...version, content: { ...version.content, tools, responseFormat } }
  })
}

describe('an empty playground', () => {
  it('has the newest version, the focus in the first field, and a button that names what is missing', async () => {
    openPage(PLAYGROUND_PAGE)
    const first = await field('company')
    expect(document.activeElement).toBe(first)
    expect(screen.getByRole('combobox', { name: 'Version of column 1' })).toHaveProperty('value', '3')
    await screen.findByText('company has no value in row 1.', { selector: 'header span' })
    await type('company', 'Halden')
    await screen.findByText('question has no value in row 1.', { selector: 'header span' })
    await type('question', 'Why?')
    expect((await runAll()).getAttribute('aria-disabled')).toBeNull()
  })

  it('says that no model is connected, and where to connect one', async () => {
    onRequest('GET /connections', { data: [] })
    openPage(PLAYGROUND_PAGE)
    await screen.findByText('No model is connected')
    const link = screen.getByRole('link', { name: 'Settings, Models' })
    expect(link.getAttribute('href')).toMatch(/\/settings\/models$/)
  })

  it('of a prompt without a version begins with a draft', async () => {
    onRequest(`GET ${ONE}/versions`, { data: [], nextCursor: null })
    onRequest(`GET ${ONE}/labels`, { data: [] })
    const user = openPage(PLAYGROUND_PAGE)
    await user.click(await screen.findByRole('button', { name: 'Tools and response format of Draft' }))
    fireEvent.change(screen.getByRole('textbox', { name: /^Text of message 1/ }), { target: { value: 'Say hi.' } })
    await user.click(screen.getByRole('button', { name: 'Done' }))
    await user.keyboard('{Control>}{Enter}{/Control}')
    await (await cell(1)).findByText('It is on its way.')
    expect(sent()[0]).toMatchObject({ content: { messages: [{ role: 'system', content: 'Say hi.' }] }, variables: {} })
  })
})

describe('an answer', () => {
  it('is written piece by piece, and then has tokens, cost, time and its trace', async () => {
    const stream = new TryStream()
    onRequest(TRY, stream.response)
    const user = await openFilled()
    await user.keyboard('{Control>}{Enter}{/Control}')
    const first = await cell(1)
    stream.send({ name: 'waiting', data: { summary: 'openai takes 2 calls at a time; this one waits' } })
    await first.findByText('openai takes 2 calls at a time; this one waits')
    stream.send({ name: 'text', data: { call: 1, text: 'It is on ' } })
    await first.findByText('It is on')
    first.getByText('writing')
    first.getByRole('button', { name: 'Stop v3, row 1' })
    stream.send({ name: 'text', data: { call: 1, text: 'its way.' } })
    stream.end({ name: 'end', data: END })
    await first.findByText('It is on its way.')
    first.getByText('1,486 tokens')
    first.getByText('$0.0034')
    first.getByText('3.10 s')
    expect(first.getByRole('link', { name: 'Trace of v3, row 1' }).getAttribute('href')).toMatch(/\/traces\/0189/)
    expect(sent()).toEqual([
      { version: 3, variables: { company: 'Halden', question: 'Where is my order?' }, provider: 'openai' },
    ])
    await screen.findByText('v3, row 1: answered')
  })

  it('without a price has an unknown cost, and never $0', async () => {
    onRequest(TRY, () => streamed(answerOf('Yes.', { costUsd: null, costBasis: null })))
    const user = await openFilled()
    await run(user)
    await (await cell(1)).findByText('cost unknown')
    expect(document.body.textContent).not.toContain('$0')
  })

  it('that misses the schema names what is missing, and leads to the schema', async () => {
    withTools()
    const schema = { valid: false, misses: [{ path: '/citations', message: 'is missing' }] }
    onRequest(TRY, () => streamed(answerOf('{"answer": "It is on its way."}', { schema })))
    const user = await openFilled()
    await run(user)
    const first = await cell(1)
    await first.findByText('misses the schema')
    first.getByText('/citations')
    // The members of an object are texts to read.
    first.getByText('It is on its way.')
    await user.click(first.getByRole('button', { name: 'Open the schema' }))
    await screen.findByRole('heading', { name: 'Response format' })
  })

  it('that was cut off says so, with the remedy of the server', async () => {
    const error = 'The answer was cut off at the limit of 600 tokens; raise "maxTokens"'
    onRequest(TRY, () => streamed(answerOf('It is on', { reason: 'cutOff', error })))
    const user = await openFilled()
    await run(user)
    const first = await cell(1)
    await first.findByText('cut off at the token limit')
    first.getByText(error)
    first.getByText('It is on')
  })

  it('to something that was changed since is marked', async () => {
    const user = await openFilled()
    await run(user)
    const first = await cell(1)
    await first.findByText('It is on its way.')
    expect(first.queryByText(/was changed after/)).toBeNull()
    await type('question', 'Where is it?')
    await first.findByText('Something was changed after this answer.')
  })

  it('is still there after its trace was looked at', async () => {
    const user = await openFilled()
    await run(user)
    await (await cell(1)).findByText('It is on its way.')
    await user.click(screen.getByRole('link', { name: 'answer' }))
    await eventually(() => expect(address()).toBe(PROMPT_PAGE))
    window.history.back()
    await (await cell(1)).findByText('It is on its way.')
    expect(sent()).toHaveLength(1)
  })
})

describe('a failed cell', () => {
  it('shows the words of the provider, and is retried by the key r', async () => {
    onRequest(TRY, () => streamed(failedEnd('openai returned 400: it rejected the request; its message: no such model')))
    const user = await openFilled()
    await run(user)
    const first = await cell(1)
    await first.findByText(/its message: no such model$/)
    first.getByText('not answered')
    expect(first.queryByText(/Next try by itself/)).toBeNull()
    onRequest(TRY, () => streamed(answerOf('Now it works.')))
    await user.keyboard('r')
    await first.findByText('Now it works.')
    await first.findByText('2 attempts')
  })

  it('says when it is tried again by itself, and can be tried at once', async () => {
    const changes = { isTransient: true, retryAfterSeconds: 18 }
    onRequest(TRY, () => streamed(failedEnd('anthropic returned 429 (rate limit)', changes)))
    const user = await openFilled()
    await run(user)
    const first = await cell(1)
    await first.findByText('anthropic returned 429 (rate limit)')
    await first.findByText(/^Next try by itself in 1[78] seconds\.$/)
    onRequest(TRY, () => streamed(answerOf('Now it works.')))
    await user.click(first.getByRole('button', { name: 'Retry v3, row 1' }))
    await first.findByText('Now it works.')
    expect(sent()).toHaveLength(2)
  })

  it('is tried three times by itself, and not forever', async () => {
    onRequest(TRY, () => streamed(failedEnd('429', { isTransient: true, retryAfterSeconds: 0 })))
    const user = await openFilled()
    await run(user)
    const first = await cell(1)
    await first.findByText('3 attempts')
    await first.findByRole('button', { name: 'Retry v3, row 1' })
    expect(first.queryByText(/Next try by itself/)).toBeNull()
    expect(sent()).toHaveLength(3)
  })

  it('that was rejected before it was sent has the words of the server, and the way to try again', async () => {
    onRequest(TRY, failed(409, 'The spending limit of $5 per day leaves no room for another call of a model.'))
    const user = await openFilled()
    await run(user)
    await (await cell(1)).findByText(/^The spending limit of \$5 per day leaves no room/)
    await (await cell(1)).findByRole('button', { name: 'Retry v3, row 1' })
  })

  it('whose stream was cut says so', async () => {
    onRequest(TRY, () => streamed([{ name: 'text', data: { call: 1, text: 'It is' } }]))
    const user = await openFilled()
    await run(user)
    await (await cell(1)).findByText('The stream ended before the answer did. Try again.')
    await (await cell(1)).findByText('It is')
  })
})

describe('several cells', () => {
  it('run four at a time; Escape stops what is written, and what has not begun is not sent', async () => {
    const streams: TryStream[] = []
    onRequest(TRY, () => {
      const stream = new TryStream()
      streams.push(stream)
      return stream.response
    })
    const user = await openFilled('?versions=1,2,3')
    for (const row of [2, 3]) {
      await user.click(screen.getByRole('button', { name: 'Add a row' }))
      await type('question', `Question ${row}?`, row)
      await type('company', 'Halden', row)
    }
    expect((await runAll()).textContent).toContain('Run all 9')
    await run(user)
    await eventually(() => expect(streams).toHaveLength(4))
    streams[0]?.end(...answerOf('First.'))
    await eventually(() => expect(streams).toHaveLength(5))
    await screen.findByText('1 of 9')
    await user.keyboard('{Escape}')
    await eventually(() => expect(screen.getAllByText('stopped')).toHaveLength(4))
    expect(screen.getAllByText('Not run yet.')).toHaveLength(4)
    // The mock counts only requests that were not cancelled.
    expect(sent()).toHaveLength(1)
    screen.getByText('$0.0034 spent, 4 of unknown cost')
  })

  it('have sums without a rate and without a winner', async () => {
    withTools()
    let count = 0
    onRequest(TRY, () => {
      count += 1
      return streamed(answerOf('{}', { schema: { valid: count % 2 === 1, misses: [] } }))
    })
    const user = await openFilled('?versions=2,3')
    await run(user)
    await screen.findByText('too few to say which is better')
    const sums = await eventually(() => {
      const row = screen.getAllByRole('row').at(-1)?.textContent ?? ''
      expect(row).toContain('v2: 1 of 1 fits the schema$0.0034 and 3.10 s an answer')
      expect(row).toContain('v3: 0 of 1 fits the schema')
      return row
    })
    expect(sums).not.toMatch(/%|better than|best/)
    screen.getByText('$0.0068 spent')
    screen.getByText('2,972 tokens')
  })

  it('stop when the page is left', async () => {
    onRequest(TRY, new TryStream().response)
    const user = await openFilled()
    await run(user)
    await eventually(() => expect(sent()).toHaveLength(1))
    await user.click(screen.getByRole('link', { name: 'answer' }))
    await eventually(() => expect(sent()).toHaveLength(0))
  })

  it('of one column run by Shift, Control and Enter', async () => {
    const user = await openFilled('?versions=2,3')
    await user.click(screen.getByRole('combobox', { name: 'Version of column 2' }))
    await user.keyboard('{Shift>}{Control>}{Enter}{/Control}{/Shift}')
    await (await cell(2)).findByText('It is on its way.')
    expect(sent().map(({ version }) => version)).toEqual([3])
  })

  it('mark by the key d what the first column does not have', async () => {
    const texts = ['It is on its way.', 'It is on its slow way.']
    onRequest(TRY, ({ body }) => streamed(answerOf(texts[Number((body as { version: number }).version) - 2] ?? '')))
    const user = await openFilled('?versions=2,3')
    await run(user)
    await (await cell(2)).findByText('It is on its slow way.')
    await user.keyboard('d')
    await eventually(() => expect(document.querySelector('td mark')?.textContent).toContain('slow'))
    expect(address()).toContain('diff=on')
  })
})

describe('tools', () => {
  const call = { call: 1, toolCall: LOOK_UP, answer: null }
  const conversation = [{ role: 'assistant' as const, content: '', toolCalls: [LOOK_UP], native: null }]

  it('and response format are always visible, and the connection says that it takes both', async () => {
    withTools()
    openPage(PLAYGROUND_PAGE)
    const shown = await screen.findByRole('button', { name: 'Tools and response format of v3' })
    expect(shown.textContent).toBe('1 toolschema')
    await screen.findByText('takes both at once', { exact: false })
  })

  it('that are asked for are answered in the cell, and the model continues', async () => {
    withTools()
    const end = { ...END, reason: 'toolCalls' as const, text: '', toolCalls: [LOOK_UP], conversation }
    onRequest(TRY, () =>
      streamed([
        { name: 'toolCall', data: call },
        { name: 'end', data: end },
      ]),
    )
    const user = await openFilled()
    await run(user)
    const first = await cell(1)
    const answer = await first.findByRole('textbox', { name: 'Answer for the model' })
    first.getByText('order_number: "50318"')
    expect(sent()[0]).toMatchObject({ toolAnswers: 'ask' })
    onRequest(TRY, () => streamed(answerOf('It was paid twice.')))
    await user.type(answer, 'paid twice')
    // The keys that run all cells elsewhere.
    await user.keyboard('{Control>}{Enter}{/Control}')
    await first.findByText('It was paid twice.')
    first.getByText('answered by you')
    expect(sent()).toHaveLength(2)
    expect(sent()[1]).toMatchObject({
      version: 3,
      continue: { conversation, toolAnswers: [{ toolCallId: 'call-1', content: 'paid twice' }] },
    })
    // Both calls were paid for.
    first.getByText('$0.0068')
  })

  it('have their recorded answers with items, and none if that is chosen', async () => {
    withTools()
    onRequest(TRY, () =>
      streamed([{ name: 'toolCall', data: { ...call, answer: 'paid 249.00 EUR' } }, ...answerOf('Twice.')]),
    )
    const user = openPage(`${PLAYGROUND_PAGE}?rows=items&items=1`)
    await run(user)
    const first = await cell(1)
    await first.findByText('recorded')
    first.getByText('paid 249.00 EUR')
    expect(sent()[0]).toMatchObject({ toolAnswers: 'recorded' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Answers of tools' }), 'No tool answers')
    await eventually(() => expect(address()).toContain('tools=none'))
    await run(user)
    await eventually(() => expect(sent()[1]).toMatchObject({ toolAnswers: 'none' }))
  })
})

describe('items of a dataset', () => {
  it('are chosen by a seed: the same ones for the same link, others for another seed', async () => {
    const user = openPage(`${PLAYGROUND_PAGE}?rows=items`)
    const names = async () => {
      await screen.findAllByText(/^Question \d+\?$/)
      return screen.getAllByText(/^Question \d+\?$/).map(({ textContent }) => textContent)
    }
    const before = await names()
    expect(new Set(before).size).toBe(3)
    reloadPage()
    expect(await names()).toEqual(before)
    await user.click(screen.getByRole('button', { name: 'Add an item' }))
    await eventually(async () => expect(await names()).toHaveLength(4))
    expect((await names()).slice(0, 3)).toEqual(before)
    await user.click(screen.getByRole('button', { name: 'Others' }))
    await eventually(async () => expect(await names()).not.toEqual(expect.arrayContaining(before)))
    expect(address()).toContain('seed=2')
  })

  it('give the values, which the server reads', async () => {
    const user = openPage(`${PLAYGROUND_PAGE}?rows=items&items=2`)
    await run(user)
    await eventually(() => expect(sent()).toHaveLength(2))
    for (const body of sent()) {
      expect(body).toMatchObject({ version: 3, variables: {}, itemId: expect.stringContaining('0189') })
    }
    expect(screen.getAllByText(/^Expected \d+$/)).toHaveLength(2)
  })

  it('without a variable have one field for all of them', async () => {
    onRequest('GET /components/{componentId}/datasets/{datasetId}/items', ({ query }) => ({
      data: [{ ...itemAt(Number(query['offset'])), input: '{"question": "Why?"}' }],
    }))
    const user = openPage(`${PLAYGROUND_PAGE}?rows=items&items=1`)
    await screen.findByText(/^company has no value in item \d+\.$/, { selector: 'header span' })
    await user.type(await screen.findByRole('textbox', { name: 'company' }), 'Halden')
    await run(user)
    await eventually(() => expect(sent()[0]).toMatchObject({ variables: { company: 'Halden' } }))
  })

  it('that do not exist lead to the datasets', async () => {
    onRequest('GET /components/{componentId}/dataset-summaries', { data: [], nextCursor: null })
    openPage(`${PLAYGROUND_PAGE}?rows=items`)
    expect((await screen.findByRole('link', { name: 'Add a dataset' })).getAttribute('href')).toMatch(/\/datasets$/)
  })
})

describe('a column', () => {
  /** Changes the first message of a column. */
  async function edit(user: User, name: string, text: string) {
    await user.click(await screen.findByRole('button', { name: `Tools and response format of ${name}` }))
    fireEvent.change(screen.getByRole('textbox', { name: /^Text of message 1/ }), { target: { value: text } })
    await user.click(screen.getByRole('button', { name: 'Done' }))
  }

  it('that is changed is a draft on the device, with its changes, and is saved as a version', async () => {
    const user = await openFilled('?versions=2,3')
    await edit(user, 'v3', 'Answer for {{company}}, kindly.')
    await screen.findByText('1 edit')
    reloadPage()
    await user.click(await screen.findByRole('button', { name: /^1 edit of Draft on v3/ }))
    const message = within(await screen.findByRole('region', { name: 'Message 1' }))
    message.getByText('v3')
    await user.click(screen.getByRole('button', { name: 'Done' }))
    onRequest(`POST ${ONE}/versions`, Response.json(versionOf(4), { status: 201 }))
    onRequest(`GET ${ONE}/versions`, { data: [4, 3, 2, 1].map(rowOfVersion), nextCursor: null })
    await user.click(await screen.findByRole('button', { name: 'Save v4…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Save as v4' }))
    await user.click(dialog.getByRole('button', { name: 'Save v4' }))
    await screen.findByText('Saved as v4.')
    expect(requestsOf(`POST ${ONE}/versions`)[0]?.body).toMatchObject({
      content: { messages: [{ content: 'Answer for {{company}}, kindly.' }, {}], provider: null, model: 'gpt-5-mini' },
    })
    await eventually(() => expect(address()).toContain('versions=2%2C4'))
    await eventually(() => expect(screen.queryByText('1 edit')).toBeNull())
  })

  it('has the draft that was begun on the page of the prompt', async () => {
    const user = openPage(PROMPT_PAGE)
    await user.type(await screen.findByRole('textbox', { name: /^Text of message 1/ }), ' Thanks!')
    await user.click(screen.getByRole('link', { name: /^Try/ }))
    await type('question', 'Why?')
    await type('company', 'Halden')
    await screen.findByRole('option', { name: 'Draft on v3' })
    await run(user)
    await eventually(() =>
      expect(sent()[0]).toMatchObject({
        content: { messages: [{ content: 'Answer for {{company}}, in one sentence. Thanks!' }, {}] },
      }),
    )
  })

  it('calls another model, which is saved only where the prompt names one', async () => {
    const user = await openFilled()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Model of v3' }), 'claude')
    await run(user)
    await eventually(() => expect(sent()[0]).toMatchObject({ provider: 'anthropic', content: { model: 'claude', provider: null } }))
  })

  it('that was discarded comes back', async () => {
    const user = await openFilled()
    await edit(user, 'v3', 'Other words.')
    await user.click(await screen.findByRole('button', { name: 'More about Draft on v3' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Discard the changes' }))
    await eventually(() => expect(screen.queryByText(/^\d edit/)).toBeNull())
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await screen.findByText(/^\d edit/)
  })

  it('is never lost by a link to other versions', async () => {
    const user = await openFilled()
    await edit(user, 'v3', 'Other words for {{company}}.')
    await screen.findByText('1 edit')
    openPage(`${PLAYGROUND_PAGE}?versions=1`)
    await eventually(() =>
      expect(screen.getAllByRole('columnheader').map((header) => header.querySelector('select')?.value)).toEqual(
        expect.arrayContaining(['1', 'own']),
      ),
    )
  })

  it('of a deleted version is read only, and the others run', async () => {
    onRequest(`GET ${ONE}/versions/{number}`, ({ params }) =>
      params['number'] === '9' ? failed(404, 'Prompt answer has no version 9.') : versionOf(Number(params['number'])),
    )
    const user = await openFilled('?versions=9,3')
    await screen.findByText(/^v9 was deleted\. Its answers stay/)
    await run(user)
    await (await cell(2)).findByText('It is on its way.')
    expect(sent()).toHaveLength(1)
    await (await cell(1)).findByText('Not run yet.')
  })
})

it('a viewer sees the page, and why nothing can be run', async () => {
  signIn('viewer')
  openPage(PLAYGROUND_PAGE)
  await heading('Playground')
  await screen.findAllByText('Calling a model requires the role editor; yours is viewer.')
  expect((await runAll()).getAttribute('aria-disabled')).toBe('true')
  expect(requestsOf('GET /connections')).toEqual([])
})

it('over the spending limit, the button names it', async () => {
  const reached = 'The spending limit of $5 per day is reached until 12:00.'
  onRequest('GET /spending', { ...exampleOf<Spending>('Spending'), reached })
  await openFilled()
  await screen.findAllByText(reached)
  expect((await runAll()).getAttribute('aria-disabled')).toBe('true')
})

it('a placeholder that is not a list of messages is named', async () => {
  const content = { ...versionOf(3).content, messages: [{ placeholder: 'history' }] }
  onRequest(`GET ${ONE}/versions/{number}`, { ...versionOf(3), content })
  const user = openPage(PLAYGROUND_PAGE)
  await type('history', 'Hello')
  await screen.findByText('history in row 1 is not a list of messages.', { selector: 'header span' })
  await type('history', '[{"role": "user", "content": "Hello"}]')
  await run(user)
  await eventually(() =>
    expect(sent()[0]).toMatchObject({ variables: { history: [{ role: 'user', content: 'Hello' }] } }),
  )
})
