// @module-tag deep
import { fireEvent, screen } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Spending } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, heading, openPage, signIn } from './open-page.ts'
import {
  answerOf,
  END,
  failedEnd,
  PLAYGROUND_PAGE,
  servePlayground,
  streamed,
  TRY,
  TryStream,
} from './playground-examples.ts'
import { cellOf, fieldOf, openFilled, runAll, runButton, sentTries, serveTools, typeValue } from './playground-steps.ts'
import { ONE, PROMPT_PAGE, versionOf } from './prompt-examples.ts'

beforeEach(() => {
  signIn()
  servePlayground()
})

describe('an empty playground', () => {
  it('has the newest version, the focus in the first field, and a button that names what is missing', async () => {
    openPage(PLAYGROUND_PAGE)
    const first = await fieldOf('company')
    expect(document.activeElement).toBe(first)
    expect(screen.getByRole('combobox', { name: 'Version of column 1' })).toHaveProperty('value', '3')
    await screen.findByText('company has no value in row 1.', { selector: 'header span' })
    await typeValue('company', 'Halden')
    await screen.findByText('question has no value in row 1.', { selector: 'header span' })
    await typeValue('question', 'Why?')
    expect((await runButton()).getAttribute('aria-disabled')).toBeNull()
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
    fireEvent.change(await screen.findByRole('textbox', { name: /^Text of message 1/ }), {
      target: { value: 'Say hi.' },
    })
    await user.click(screen.getByRole('button', { name: 'Done' }))
    await user.keyboard('{Control>}{Enter}{/Control}')
    await (await cellOf(1)).findByText('It is on its way.')
    expect(sentTries()[0]).toMatchObject({
      content: { messages: [{ role: 'system', content: 'Say hi.' }] },
      variables: {},
    })
  })
})

describe('an answer', () => {
  it('is written piece by piece, and then has tokens, cost, time and its trace', async () => {
    const stream = new TryStream()
    onRequest(TRY, stream.response)
    const user = await openFilled()
    await user.keyboard('{Control>}{Enter}{/Control}')
    const first = await cellOf(1)
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
    expect(sentTries()).toEqual([
      { version: 3, variables: { company: 'Halden', question: 'Where is my order?' }, provider: 'openai' },
    ])
    await screen.findByText('v3, row 1: answered')
  })

  it('without a price has an unknown cost, and never $0', async () => {
    onRequest(TRY, () => streamed(answerOf('Yes.', { costUsd: null, costBasis: null })))
    const user = await openFilled()
    await runAll(user)
    await (await cellOf(1)).findByText('cost unknown')
    expect(document.body.textContent).not.toContain('$0')
  })

  it('that misses the schema names what is missing, and leads to the schema', async () => {
    serveTools()
    const schema = { valid: false, misses: [{ path: '/citations', message: 'is missing' }] }
    onRequest(TRY, () => streamed(answerOf('{"answer": "It is on its way."}', { schema })))
    const user = await openFilled()
    await runAll(user)
    const first = await cellOf(1)
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
    await runAll(user)
    const first = await cellOf(1)
    await first.findByText('cut off at the token limit')
    first.getByText(error)
    first.getByText('It is on')
  })

  it('to something that was changed since is marked', async () => {
    const user = await openFilled()
    await runAll(user)
    const first = await cellOf(1)
    await first.findByText('It is on its way.')
    expect(first.queryByText(/was changed after/)).toBeNull()
    await typeValue('question', 'Where is it?')
    await first.findByText('Something was changed after this answer.')
  })

  it('is still there after its trace was looked at', async () => {
    const user = await openFilled()
    await runAll(user)
    await (await cellOf(1)).findByText('It is on its way.')
    await user.click(screen.getByRole('link', { name: 'answer' }))
    await eventually(() => expect(address()).toBe(PROMPT_PAGE))
    window.history.back()
    await (await cellOf(1)).findByText('It is on its way.')
    expect(sentTries()).toHaveLength(1)
  })
})

describe('a failed cell', () => {
  it('shows the words of the provider, and is retried by the key r', async () => {
    onRequest(TRY, () =>
      streamed(failedEnd('openai returned 400: it rejected the request; its message: no such model')),
    )
    const user = await openFilled()
    await runAll(user)
    const first = await cellOf(1)
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
    await runAll(user)
    const first = await cellOf(1)
    await first.findByText('anthropic returned 429 (rate limit)')
    await first.findByText(/^Next try by itself in 1[78] seconds\.$/)
    onRequest(TRY, () => streamed(answerOf('Now it works.')))
    await user.click(first.getByRole('button', { name: 'Retry v3, row 1' }))
    await first.findByText('Now it works.')
    expect(sentTries()).toHaveLength(2)
  })

  it('is tried three times by itself, and not forever', async () => {
    onRequest(TRY, () => streamed(failedEnd('429', { isTransient: true, retryAfterSeconds: 0 })))
    const user = await openFilled()
    await runAll(user)
    const first = await cellOf(1)
    await first.findByText('3 attempts')
    await first.findByRole('button', { name: 'Retry v3, row 1' })
    expect(first.queryByText(/Next try by itself/)).toBeNull()
    expect(sentTries()).toHaveLength(3)
  })

  it('that was rejected before it was sent has the words of the server, and the way to try again', async () => {
    onRequest(TRY, failed(409, 'The spending limit of $5 per day leaves no room for another call of a model.'))
    const user = await openFilled()
    await runAll(user)
    await (await cellOf(1)).findByText(/^The spending limit of \$5 per day leaves no room/)
    await (await cellOf(1)).findByRole('button', { name: 'Retry v3, row 1' })
  })

  it('whose stream was cut says so', async () => {
    onRequest(TRY, () => streamed([{ name: 'text', data: { call: 1, text: 'It is' } }]))
    const user = await openFilled()
    await runAll(user)
    await (await cellOf(1)).findByText('The stream ended before the answer did. Try again.')
    await (await cellOf(1)).findByText('It is')
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
      await typeValue('question', `Question ${row}?`, row)
      await typeValue('company', 'Halden', row)
    }
    expect((await runButton()).textContent).toContain('Run all 9')
    await runAll(user)
    await eventually(() => expect(streams).toHaveLength(4))
    streams[0]?.end(...answerOf('First.'))
    await eventually(() => expect(streams).toHaveLength(5))
    await screen.findByText('1 of 9')
    await user.keyboard('{Escape}')
    await eventually(() => expect(screen.getAllByText('stopped')).toHaveLength(4))
    expect(screen.getAllByText('Not run yet.')).toHaveLength(4)
    // The mock counts only requests that were not cancelled.
    expect(sentTries()).toHaveLength(1)
    screen.getByText('$0.0034 spent, 4 of unknown cost')
  })

  it('have sums without a rate and without a winner', async () => {
    serveTools()
    let count = 0
    onRequest(TRY, () => {
      count += 1
      return streamed(answerOf('{}', { schema: { valid: count % 2 === 1, misses: [] } }))
    })
    const user = await openFilled('?versions=2,3')
    await runAll(user)
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
    await runAll(user)
    await eventually(() => expect(sentTries()).toHaveLength(1))
    await user.click(screen.getByRole('link', { name: 'answer' }))
    await eventually(() => expect(sentTries()).toHaveLength(0))
  })

  it('of one column run by Shift, Control and Enter', async () => {
    const user = await openFilled('?versions=2,3')
    await user.click(screen.getByRole('combobox', { name: 'Version of column 2' }))
    await user.keyboard('{Shift>}{Control>}{Enter}{/Control}{/Shift}')
    await (await cellOf(2)).findByText('It is on its way.')
    expect(sentTries().map(({ version }) => version)).toEqual([3])
  })

  it('mark by the key d what the first column does not have', async () => {
    const texts = ['It is on its way.', 'It is on its slow way.']
    onRequest(TRY, ({ body }) => streamed(answerOf(texts[Number((body as { version: number }).version) - 2] ?? '')))
    const user = await openFilled('?versions=2,3')
    await runAll(user)
    await (await cellOf(2)).findByText('It is on its slow way.')
    await user.keyboard('d')
    await eventually(() => expect(document.querySelector('td mark')?.textContent).toContain('slow'))
    expect(address()).toContain('diff=on')
  })
})

it('a viewer sees the page, and why nothing can be run', async () => {
  signIn('viewer')
  openPage(PLAYGROUND_PAGE)
  await heading('Playground')
  await screen.findAllByText('Calling a model requires the role editor; yours is viewer.')
  expect((await runButton()).getAttribute('aria-disabled')).toBe('true')
  expect(requestsOf('GET /connections')).toEqual([])
})

it('over the spending limit, the button names it', async () => {
  const reached = 'The spending limit of $5 per day is reached until 12:00.'
  onRequest('GET /spending', { ...exampleOf<Spending>('Spending'), reached })
  await openFilled()
  await screen.findAllByText(reached)
  expect((await runButton()).getAttribute('aria-disabled')).toBe('true')
})

it('a placeholder that is not a list of messages is named', async () => {
  const content = { ...versionOf(3).content, messages: [{ placeholder: 'history' }] }
  onRequest(`GET ${ONE}/versions/{number}`, { ...versionOf(3), content })
  const user = openPage(PLAYGROUND_PAGE)
  await typeValue('history', 'Hello')
  await screen.findByText('history in row 1 is not a list of messages.', { selector: 'header span' })
  await typeValue('history', '[{"role": "user", "content": "Hello"}]')
  await runAll(user)
  await eventually(() =>
    expect(sentTries()[0]).toMatchObject({ variables: { history: [{ role: 'user', content: 'Hello' }] } }),
  )
})

it('variables may have names that objects have already: their fields are empty, and their values are sent', async () => {
  const messages = [{ role: 'user' as const, content: '{{__proto__}} {{constructor}}' }, { placeholder: 'toString' }]
  onRequest(`GET ${ONE}/versions/{number}`, { ...versionOf(3), content: { ...versionOf(3).content, messages } })
  const user = openPage(PLAYGROUND_PAGE)
  for (const name of ['__proto__', 'constructor', 'toString']) expect(await fieldOf(name)).toHaveProperty('value', '')
  await screen.findByText('__proto__ has no value in row 1.', { selector: 'header span' })
  await typeValue('__proto__', 'a')
  await typeValue('constructor', 'b')
  await runAll(user)
  await eventually(() => expect(sentTries()).toHaveLength(1))
  expect(JSON.stringify(sentTries()[0]?.['variables'])).toBe('{"__proto__":"a","constructor":"b","toString":[]}')
})
