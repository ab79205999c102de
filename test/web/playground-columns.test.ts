// @module-tag deep
import { fireEvent, screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, idOf, openPage, reloadPage, signIn } from './open-page.ts'
import {
  answerOf,
  DATASET,
  END,
  itemAt,
  LOOK_UP,
  PLAYGROUND_PAGE,
  servePlayground,
  streamed,
  TRY,
} from './playground-examples.ts'
import { cellOf, openFilled, runAll, sentTries, serveTools, typeValue, type User } from './playground-steps.ts'
import { ONE, PROMPT, PROMPT_PAGE, rowOfVersion, versionOf } from './prompt-examples.ts'
import { LISTED, ONE as ONE_TRIAL, PROMPT_ID, RUNNING, TRIALS } from './trial-examples.ts'

beforeEach(() => {
  signIn()
  servePlayground()
})

describe('tools', () => {
  const call = { call: 1, toolCall: LOOK_UP, answer: null }
  const conversation = [{ role: 'assistant' as const, content: '', toolCalls: [LOOK_UP], native: null }]

  it('and response format are always visible, and the connection says that it takes both', async () => {
    serveTools()
    openPage(PLAYGROUND_PAGE)
    const shown = await screen.findByRole('button', { name: 'Tools and response format of v3' })
    expect(shown.textContent).toBe('1 toolschema')
    await screen.findByText('takes both at once', { exact: false })
  })

  it('that are asked for are answered in the cell, and the model continues', async () => {
    serveTools()
    const end = { ...END, reason: 'toolCalls' as const, text: '', toolCalls: [LOOK_UP], conversation }
    onRequest(TRY, () =>
      streamed([
        { name: 'toolCall', data: call },
        { name: 'end', data: end },
      ]),
    )
    const user = await openFilled()
    await runAll(user)
    const first = await cellOf(1)
    const answer = await first.findByRole('textbox', { name: 'Answer for the model' })
    first.getByText('order_number: "50318"')
    expect(sentTries()[0]).toMatchObject({ toolAnswers: 'ask' })
    onRequest(TRY, () => streamed(answerOf('It was paid twice.')))
    await user.type(answer, 'paid twice')
    // The keys that run all cells elsewhere.
    await user.keyboard('{Control>}{Enter}{/Control}')
    await first.findByText('It was paid twice.')
    first.getByText('answered by you')
    expect(sentTries()).toHaveLength(2)
    expect(sentTries()[1]).toMatchObject({
      version: 3,
      continue: { conversation, toolAnswers: [{ toolCallId: 'call-1', content: 'paid twice' }] },
    })
    // Both calls were paid for.
    first.getByText('$0.0068')
  })

  it('have their recorded answers with items, and none if that is chosen', async () => {
    serveTools()
    onRequest(TRY, () =>
      streamed([{ name: 'toolCall', data: { ...call, answer: 'paid 249.00 EUR' } }, ...answerOf('Twice.')]),
    )
    const user = openPage(`${PLAYGROUND_PAGE}?rows=items&items=1`)
    await runAll(user)
    const first = await cellOf(1)
    await first.findByText('recorded')
    first.getByText('paid 249.00 EUR')
    expect(sentTries()[0]).toMatchObject({ toolAnswers: 'recorded' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Answers of tools' }), 'No tool answers')
    await eventually(() => expect(address()).toContain('tools=none'))
    await runAll(user)
    await eventually(() => expect(sentTries()[1]).toMatchObject({ toolAnswers: 'none' }))
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
    await user.click(screen.getByRole('button', { name: 'Other items' }))
    await eventually(async () => expect(await names()).not.toEqual(expect.arrayContaining(before)))
    expect(address()).toContain('seed=2')
  })

  describe('of “Try on 3 items” on the page of the prompt', () => {
    const SMALL = { ...DATASET, id: idOf(211), name: 'Few questions', itemCount: 5 }
    const SUMMARIES = 'GET /components/{componentId}/dataset-summaries'
    const tryOnItems = async () => {
      const user = openPage(PROMPT_PAGE)
      await user.click(await screen.findByRole('link', { name: 'Try on 3 items' }))
      await screen.findAllByText(/^Question \d+\?$/)
      const dataset = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Dataset' })
      const questions = screen.getAllByText(/^Question \d+\?$/).map(({ textContent }) => textContent)
      return { chosen: dataset.selectedOptions[0]?.textContent, questions }
    }

    it('are the first three of the dataset with most items', async () => {
      onRequest(SUMMARIES, { data: [SMALL, DATASET], nextCursor: null })
      const expected = ['Question 1?', 'Question 2?', 'Question 3?']
      expect(await tryOnItems()).toEqual({ chosen: 'Support questions', questions: expected })
      expect(address()).toBe(`${PROMPT_PAGE}/playground?versions=3&rows=items&pick=first`)
    })

    it('are those of its newest trial, and not those of a trial of another prompt', async () => {
      onRequest(SUMMARIES, { data: [DATASET, SMALL], nextCursor: null })
      onRequest(`GET ${TRIALS}`, { data: [LISTED, { ...LISTED, id: idOf(302) }] })
      onRequest(`GET ${ONE_TRIAL}`, ({ params }) => {
        const isOwn = params['trialId'] === idOf(302)
        const variants = RUNNING.variants.map((variant) => ({
          ...variant,
          target: { type: 'prompt' as const, promptId: isOwn ? PROMPT.id : PROMPT_ID, version: 2 },
        }))
        return { ...RUNNING, variants, datasetId: isOwn ? SMALL.id : DATASET.id }
      })
      expect(await tryOnItems()).toMatchObject({ chosen: 'Few questions' })
    })
  })

  it('give the values, which the server reads', async () => {
    const user = openPage(`${PLAYGROUND_PAGE}?rows=items&items=2`)
    await runAll(user)
    await eventually(() => expect(sentTries()).toHaveLength(2))
    for (const body of sentTries()) {
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
    await runAll(user)
    await eventually(() => expect(sentTries()[0]).toMatchObject({ variables: { company: 'Halden' } }))
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
    fireEvent.change(await screen.findByRole('textbox', { name: /^Text of message 1/ }), { target: { value: text } })
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
    await typeValue('question', 'Why?')
    await typeValue('company', 'Halden')
    await screen.findByRole('option', { name: 'Draft on v3' })
    await runAll(user)
    await eventually(() =>
      expect(sentTries()[0]).toMatchObject({
        content: { messages: [{ content: 'Answer for {{company}}, in one sentence. Thanks!' }, {}] },
      }),
    )
  })

  it('calls another model, which is saved only where the prompt names one', async () => {
    const user = await openFilled()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Model of v3' }), 'claude')
    await runAll(user)
    await eventually(() =>
      expect(sentTries()[0]).toMatchObject({ provider: 'anthropic', content: { model: 'claude', provider: null } }),
    )
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
    await runAll(user)
    await (await cellOf(2)).findByText('It is on its way.')
    expect(sentTries()).toHaveLength(1)
    await (await cellOf(1)).findByText('Not run yet.')
  })
})
