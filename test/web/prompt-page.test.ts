import { fireEvent, screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PromptContent } from '../../web/src/api/generated/api.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, forceFailure, networkFailure, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { address, eventually, heading, openPage, reloadPage, signIn } from './open-page.ts'
import {
  LIST_PAGE,
  ONE,
  PRODUCTION,
  PROMPT,
  PROMPT_PAGE,
  rowOfVersion,
  servePrompts,
  versionOf,
} from './prompt-examples.ts'

const SAVE = `POST ${ONE}/versions`

beforeEach(() => {
  signIn()
  servePrompts()
})

const text = (number: number) => screen.findByRole('textbox', { name: new RegExp(`^Text of message ${number}`) })
const rail = async () => within(await screen.findByRole('region', { name: 'Versions' }))
const saveButton = () => screen.getByRole('button', { name: /^Save as v/ })

/** Types into the first message, which begins a draft. */
async function write(user: ReturnType<typeof openPage>, words: string): Promise<void> {
  await user.type(await text(1), words)
}

async function save(user: ReturnType<typeof openPage>): Promise<ReturnType<typeof within>> {
  await user.keyboard('{Control>}s{/Control}')
  return within(await screen.findByRole('dialog', { name: /^Save as v/ }))
}

const savedContent = () => (requestsOf(SAVE)[0]?.body as { content: PromptContent } | undefined)?.content

describe('a prompt', () => {
  it('shows the newest version with its variables marked, labels and versions', async () => {
    openPage(PROMPT_PAGE)
    expect(await text(1)).toHaveProperty('value', 'Answer for {{company}}, in one sentence.')
    const marks = [...document.querySelectorAll('ol[aria-label=Messages] mark')].map(({ textContent }) => textContent)
    expect(marks).toEqual(['{{company}}', '{{question}}'])
    const entries = (await rail()).getAllByRole('listitem').map(({ textContent }) => textContent)
    expect(entries[0]).toContain('v3production10\u202f%note of v3')
    expect(entries[1]).toContain('v2production90\u202f%note of v2')
    await eventually(() => expect(entries.length).toBe(3))
    await (await rail()).findAllByText('Grace Hopper')
  })

  it('shows what was live when, in blocks and as a table', async () => {
    const user = openPage(PROMPT_PAGE)
    const chart = within(await screen.findByRole('figure', { name: 'What was live when' }))
    chart.getByText(/^production: v1 since 11 Nov, v2 since 13 Nov until now, v3 had 10/)
    await user.click(chart.getByRole('button', { name: /^Show as table/ }))
    const rows = chart.getAllByRole('row').map(({ textContent }) => textContent)
    expect(rows[1]).toContain('productionv2 90\u202f%, v3 10\u202f%')
    expect(rows[2]).toContain('productionv1')
  })

  it('shows results by version with intervals and n, and where the dataset changed', async () => {
    const user = openPage(PROMPT_PAGE)
    const card = within(await screen.findByRole('region', { name: 'Results by version' }))
    await card.findByText('43 items were added: not comparable below.')
    expect(card.getAllByRole('listitem')[0]?.textContent).toContain(
      'v30.9395 % interval 0.89 to 0.96 · n 200 · $0.0036 · 3.90 s',
    )
    const compare = card.getByRole('link', { name: 'Is v3 better than v2?' })
    expect(compare.getAttribute('href')).toMatch(/\/compare\?base=\S+092&cand=\S+093$/)
    await user.click(card.getByRole('radio', { name: 'In production' }))
    expect((await card.findByText('too few: 3 of 30 scores')).textContent).toBeTruthy()
    expectMeansWithCount(document.body)
  })

  it('says that nothing is served before the first label', async () => {
    onRequest(`GET ${ONE}/labels`, { data: [] })
    onRequest(`GET ${ONE}/live`, { data: [], nextCursor: null })
    openPage(PROMPT_PAGE)
    await screen.findByText(/^No label yet: nothing is served\./)
  })

  it('shows the version of the address, and others by the keys [ and ]', async () => {
    const user = openPage(`${PROMPT_PAGE}?version=2`)
    expect(await text(1)).toHaveProperty('value', 'Answer for {{company}}.')
    await user.keyboard('[[')
    await eventually(() => expect(address()).toBe(`${PROMPT_PAGE}?version=1`))
    await text(1)
    await user.keyboard(']')
    await eventually(() => expect(address()).toBe(`${PROMPT_PAGE}?version=2`))
  })

  it('says that the version of a link was deleted', async () => {
    onRequest(`GET ${ONE}/versions/{number}`, failed(404, 'Prompt answer has no version 9.'))
    const user = openPage(`${PROMPT_PAGE}?version=9`)
    await screen.findByText('v9 was deleted')
    servePrompts()
    await user.click(screen.getByRole('link', { name: 'Show the newest version' }))
    expect(await text(1)).toHaveProperty('value', 'Answer for {{company}}, in one sentence.')
  })

  it('links to the playground and to deploying the version that is shown', async () => {
    const user = openPage(PROMPT_PAGE)
    const link = await screen.findByRole('link', { name: /^Try(?! on)/ })
    expect(link.getAttribute('href')).toBe(`${PROMPT_PAGE}/playground`)
    await user.click(await screen.findByRole('button', { name: /^Deploy v3/ }))
    await eventually(() => expect(address()).toBe(`${PROMPT_PAGE}/deploy/production?version=3`))
  })

  it('does not deploy what is live', async () => {
    openPage(`${PROMPT_PAGE}?version=2`)
    await screen.findByText('v2 is live already.')
  })
})

describe('a draft', () => {
  it('is kept on the device with every letter, and is there after a reload', async () => {
    const user = openPage(`${PROMPT_PAGE}?version=3`)
    await write(user, ' Thanks!')
    await screen.findByText(/Not saved yet · kept on this device/)
    expect(address()).toBe(PROMPT_PAGE)
    reloadPage()
    expect(await text(1)).toHaveProperty('value', 'Answer for {{company}}, in one sentence. Thanks!')
    await (await rail()).findByText('Changes of v3, kept on this device')
  })

  it('keeps the focus and every letter when the first one leaves the address of a version', async () => {
    openPage(`${PROMPT_PAGE}?version=3`)
    const field = await text(1)
    field.focus()
    for (const value of ['a', 'ab']) fireEvent.change(field, { target: { value } })
    expect(field).toHaveProperty('value', 'ab')
    await eventually(() => expect(address()).toBe(PROMPT_PAGE))
    expect(document.activeElement).toBe(field)
    expect(field).toHaveProperty('value', 'ab')
  })

  it('has messages that are added, moved and removed, and placeholders', async () => {
    const user = openPage(PROMPT_PAGE)
    await text(1)
    await user.click(screen.getByRole('button', { name: 'Message' }))
    fireEvent.change(await text(3), { target: { value: 'And the last.' } })
    await user.click(screen.getByRole('button', { name: 'Placeholder' }))
    expect(await screen.findByRole('textbox', { name: 'Name of placeholder 4' })).toHaveProperty('value', 'history')
    await user.click(screen.getByRole('button', { name: 'More about message 4' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Move up' }))
    await user.click(screen.getByRole('button', { name: 'More about message 1' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Remove' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Role of message 3' }), 'Assistant')
    onRequest(SAVE, Response.json(versionOf(4), { status: 201 }))
    const dialog = await save(user)
    await user.click(dialog.getByRole('button', { name: 'Save v4' }))
    await screen.findByText('Saved as v4.')
    expect(savedContent()?.messages).toEqual([
      { role: 'user', content: '{{question}}' },
      { placeholder: 'history' },
      { role: 'assistant', content: 'And the last.' },
    ])
  })

  it('has model, parameters, tools and a response format', async () => {
    const user = openPage(PROMPT_PAGE)
    await text(1)
    fireEvent.change(screen.getByLabelText('Temperature'), { target: { value: '0.7' } })
    fireEvent.change(screen.getByLabelText('Max tokens'), { target: { value: '800' } })
    fireEvent.change(screen.getByLabelText('Model'), { target: { value: 'gpt-5' } })
    await user.click(screen.getByRole('button', { name: 'Tool' }))
    await user.click(screen.getByRole('radio', { name: 'JSON schema' }))
    fireEvent.change(screen.getByLabelText('new_tool as JSON'), { target: { value: '{"name": "look_up"}' } })
    await screen.findByText('look_up')
    onRequest(SAVE, Response.json(versionOf(4), { status: 201 }))
    const dialog = await save(user)
    await user.click(dialog.getByRole('button', { name: 'Save v4' }))
    await screen.findByText('Saved as v4.')
    expect(savedContent()).toMatchObject({
      model: 'gpt-5',
      parameters: { temperature: 0.7, maxTokens: 800 },
      tools: [{ name: 'look_up' }],
      responseFormat: { type: 'json_schema' },
    })
  })

  it('marks braces that are no variable in their place', async () => {
    const user = openPage(PROMPT_PAGE)
    fireEvent.change(await text(2), { target: { value: 'Hello {{first name}}' } })
    expect((await screen.findByText(/is sent as text/)).textContent).toContain('{{first name}}')
    await user.clear(await text(2))
    expect(screen.queryByText(/is sent as text/)).toBeNull()
  })

  it('says when it nears the limits of a version', async () => {
    openPage(PROMPT_PAGE)
    fireEvent.change(await text(1), { target: { value: 'a'.repeat(220_000) } })
    await screen.findByText(/^Near the limit: 220 kB of 262 kB\.$/)
    fireEvent.change(await text(1), { target: { value: 'a'.repeat(270_000) } })
    await screen.findByText(/^Too large to be saved: 270 kB of 262 kB\.$/)
  })

  it('is saved with a note and labels, and gone from the device then', async () => {
    onRequest(SAVE, Response.json(versionOf(4), { status: 201 }))
    const user = openPage(PROMPT_PAGE)
    await write(user, '!')
    const dialog = await save(user)
    await user.type(dialog.getByLabelText(/^What is different/), 'friendlier')
    await user.click(dialog.getByRole('checkbox', { name: /^staging/ }))
    await user.click(dialog.getByRole('button', { name: 'Save v4' }))
    await screen.findByText('Saved as v4.')
    expect(requestsOf(SAVE)[0]?.body).toMatchObject({ note: 'friendlier', labels: ['staging'] })
    await eventually(() => expect(screen.queryByText(/kept on this device/)).toBeNull())
    expect(Object.keys(localStorage).filter((key) => key.includes('prompt-draft'))).toEqual([])
  })

  it('of exactly the text of a version says which one it is, and creates none', async () => {
    onRequest(SAVE, Response.json(versionOf(2), { status: 200 }))
    const user = openPage(PROMPT_PAGE)
    await write(user, '!')
    const dialog = await save(user)
    await user.click(dialog.getByRole('button', { name: 'Save v4' }))
    await screen.findByText('v2 has exactly this text.')
    expect(address()).toBe(`${PROMPT_PAGE}?version=2`)
  })

  it('that cannot be saved stays on the device, with the reason and a way to try again', async () => {
    onRequest(SAVE, failed(503, 'The database is busy.'))
    const user = openPage(PROMPT_PAGE)
    await write(user, '!')
    const dialog = await save(user)
    await user.click(dialog.getByRole('button', { name: 'Save v4' }))
    await dialog.findByText('The database is busy.')
    await user.click(dialog.getByRole('button', { name: 'Cancel' }))
    await screen.findByText('Could not be saved · kept on this device')
    onRequest(SAVE, Response.json(versionOf(4), { status: 201 }))
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Save v4' }))
    await screen.findByText('Saved as v4.')
  })

  it('is there when the server is away, and is saved when it is back', async () => {
    const user = openPage(PROMPT_PAGE)
    await write(user, ' More.')
    forceFailure(SAVE, networkFailure)
    const dialog = await save(user)
    await user.click(dialog.getByRole('button', { name: 'Save v4' }))
    await dialog.findByText(/^The server did not answer/)
    expect(localStorage.getItem(Object.keys(localStorage).find((key) => key.includes('prompt-draft')) ?? '')).toContain(
      'More.',
    )
    forceFailure(SAVE, undefined)
    onRequest(SAVE, Response.json(versionOf(4), { status: 201 }))
    await user.click(dialog.getByRole('button', { name: 'Save v4' }))
    await screen.findByText('Saved as v4.')
  })

  it('says that someone else has saved meanwhile, with what changed, and is kept', async () => {
    const user = openPage(PROMPT_PAGE)
    await write(user, '!')
    onRequest(`GET ${ONE}/versions`, { data: [4, 3, 2, 1].map(rowOfVersion), nextCursor: null })
    await sendLiveEvent(['prompts'])
    await screen.findByText('Grace Hopper saved v4 meanwhile', undefined, { timeout: 60_000 })
    const link = screen.getByRole('link', { name: 'What changed in v4' })
    expect(link.getAttribute('href')).toBe(`${PROMPT_PAGE}?version=4&view=diff&from=3`)
    expect(saveButton().textContent).toContain('Save as v5')
    await user.click(screen.getByRole('button', { name: 'Continue with my draft' }))
    expect(screen.queryByText(/meanwhile/)).toBeNull()
    expect(await text(1)).toHaveProperty('value', 'Answer for {{company}}, in one sentence.!')
  })

  it('is not overwritten by writing in another version, and can be discarded', async () => {
    const user = openPage(PROMPT_PAGE)
    await write(user, '!')
    await user.click((await rail()).getByRole('link', { name: /^v1/ }))
    await screen.findByText(/You have a draft, so this version can be read only/)
    expect(screen.queryByRole('textbox', { name: /^Text of message/ })).toBeNull()
    await user.click(screen.getByRole('link', { name: 'Continue the draft' }))
    await user.click(await screen.findByRole('button', { name: 'Discard the draft' }))
    expect(await text(1)).toHaveProperty('value', 'Answer for {{company}}, in one sentence.')
    expect(screen.queryByText(/kept on this device/)).toBeNull()
  })

  it('of the first version is what a new prompt begins with', async () => {
    onRequest(`GET ${ONE}/versions`, { data: [], nextCursor: null })
    onRequest(`GET ${ONE}/labels`, { data: [] })
    onRequest(`GET ${ONE}/live`, { data: [], nextCursor: null })
    const user = openPage(PROMPT_PAGE)
    await write(user, 'Answer {{{{question}}')
    expect(await text(1)).toHaveProperty('value', 'Answer {{question}}')
    onRequest(SAVE, Response.json(versionOf(1), { status: 201 }))
    const dialog = await save(user)
    await user.click(dialog.getByRole('button', { name: 'Save v1' }))
    await screen.findByText('Saved as v1.')
    expect(savedContent()?.messages).toEqual([{ role: 'system', content: 'Answer {{question}}' }])
  })

  it('does not move a label that needs a verdict', async () => {
    const gate = { datasetId: PROMPT.id, metric: 'correct', margin: 0.02, maxAgeDays: 14 }
    onRequest(`GET ${ONE}/labels`, { data: [{ ...PRODUCTION, protection: { minRole: 'editor', gate } }] })
    const user = openPage(PROMPT_PAGE)
    await write(user, '!')
    const dialog = await save(user)
    const box = await dialog.findByRole('checkbox', { name: /^production needs a verdict/ })
    expect(box).toHaveProperty('disabled', true)
  })
})

describe('deleting', () => {
  it('a version that a label points to names the label', async () => {
    onRequest(`DELETE ${ONE}/versions/{number}`, failed(409, 'Version 3 is served by the label production.'))
    const user = openPage(`${PROMPT_PAGE}?version=3`)
    await text(1)
    await user.click(screen.getByRole('button', { name: 'More about this prompt' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete v3' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete v3' }))
    await user.click(dialog.getByRole('button', { name: 'Delete v3' }))
    await dialog.findByText('Version 3 is served by the label production.')
  })

  it('a version leads to the newest one', async () => {
    const user = openPage(`${PROMPT_PAGE}?version=1`)
    await text(1)
    await user.click(screen.getByRole('button', { name: 'More about this prompt' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete v1' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete v1' }))
    await user.click(dialog.getByRole('button', { name: 'Delete v1' }))
    await screen.findByText('Deleted v1.')
    await eventually(() => expect(address()).toBe(PROMPT_PAGE))
  })

  it('a prompt needs its name, and leads to the list', async () => {
    const user = openPage(PROMPT_PAGE)
    await text(1)
    await user.click(screen.getByRole('button', { name: 'More about this prompt' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete prompt' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete prompt' }))
    await user.type(dialog.getByRole('textbox'), 'answer')
    await user.click(dialog.getByRole('button', { name: 'Delete prompt' }))
    await eventually(() => expect(address()).toBe(LIST_PAGE))
    expect(requestsOf(`DELETE ${ONE}`)).toHaveLength(1)
  })

  it('is not the only thing in the menu: the description can be changed', async () => {
    onRequest(`PATCH ${ONE}`, PROMPT)
    const user = openPage(PROMPT_PAGE)
    await text(1)
    await user.click(screen.getByRole('button', { name: 'More about this prompt' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Change the description' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Change the description' }))
    await user.clear(dialog.getByLabelText(/^Description/))
    await user.click(dialog.getByRole('button', { name: 'Save description' }))
    await eventually(() => expect(requestsOf(`PATCH ${ONE}`)[0]?.body).toEqual({ description: null }))
  })
})

it('a viewer reads texts without fields, and why nothing can be saved', async () => {
  signIn('viewer')
  openPage(PROMPT_PAGE)
  await heading('answer')
  await screen.findByText('{{company}}')
  expect(screen.queryByRole('textbox', { name: /^Text of message/ })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Message' })).toBeNull()
  expect((await screen.findAllByText('Changing a prompt requires the role editor; yours is viewer.')).length).toBe(1)
})

it('a viewer is sent to the page of the move, which says whom to ask', async () => {
  signIn('viewer')
  const user = openPage(PROMPT_PAGE)
  await user.click(await screen.findByRole('button', { name: /^Ask an admin…/ }))
  await eventually(() => expect(address()).toBe(`${PROMPT_PAGE}/deploy/production?version=3`))
})
