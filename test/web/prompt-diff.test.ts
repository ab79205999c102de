import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, openPage, signIn } from './open-page.ts'
import { DIFF, ONE, PROMPT_PAGE, servePrompts } from './prompt-examples.ts'

beforeEach(() => {
  signIn()
  servePrompts()
})

const text = (number: number) => screen.findByRole('textbox', { name: new RegExp(`^Text of message ${number}`) })

describe('the diff of a prompt', () => {
  it('opens by the key d against what is live, by words, and says that code needs no change', async () => {
    const user = openPage(PROMPT_PAGE)
    await text(1)
    await user.keyboard('d')
    await eventually(() => expect(address()).toBe(`${PROMPT_PAGE}?view=diff`))
    const message = await screen.findByRole('region', { name: 'System' })
    expect(message.querySelector('ins')?.textContent).toBe('[added: , in one sentence]')
    expect(requestsOf(`GET ${ONE}/diff`)[0]?.query).toEqual({ from: '2', to: '3' })
    const parameters = screen.getByRole('region', { name: 'Model, parameters and tools' })
    expect(parameters.textContent).toContain('max tokens[removed: 600] → [added: 800]')
    await screen.findByText('1 message is the same: user')
    await screen.findByText('Same variables, code needs no change.')
    await user.keyboard('d')
    await text(1)
    expect(address()).toBe(PROMPT_PAGE)
  })

  it('names variables that are new or gone, because code must change with them', async () => {
    onRequest(`GET ${ONE}/diff`, {
      ...DIFF,
      variables: { added: ['city'], removed: ['company'] },
      placeholders: { added: ['history'], removed: [] },
    })
    openPage(`${PROMPT_PAGE}?view=diff`)
    await screen.findByText(
      'New: city, history. Code must give a value before this goes live. No longer used: company.',
    )
  })

  it('compares with any version', async () => {
    const user = openPage(`${PROMPT_PAGE}?view=diff`)
    await user.selectOptions(await screen.findByRole('combobox', { name: 'The version before' }), 'v1')
    await eventually(() => expect(address()).toBe(`${PROMPT_PAGE}?view=diff&from=1`))
    await eventually(() => expect(requestsOf(`GET ${ONE}/diff`).at(-1)?.query).toEqual({ from: '1', to: '3' }))
  })

  it('shows words that were replaced one after the other as one change', async () => {
    const words = ['first', ' ', 'ask'].flatMap((word, index) =>
      word === ' '
        ? [{ change: 'same', text: ' ' }]
        : [
            { change: 'removed', text: ['then', '', 'say'][index] },
            { change: 'added', text: word },
          ],
    )
    onRequest(`GET ${ONE}/diff`, { ...DIFF, messages: [{ ...DIFF.messages[0], hunks: words }] })
    openPage(`${PROMPT_PAGE}?view=diff`)
    const message = await screen.findByRole('region', { name: 'System' })
    expect(message.textContent).toBe('System1 change[removed: then say][added: first ask]')
  })

  it('names tools that are new, gone or changed, in any order of them; their JSON is behind the name', async () => {
    const tool = (name: string, ...parameters: string[]) => ({
      type: 'function',
      function: {
        name,
        parameters: { type: 'object', properties: Object.fromEntries(parameters.map((one) => [one, {}])) },
      },
    })
    const before = [tool('same'), tool('look_up', 'order'), tool('hand_over')]
    const after = [tool('look_up', 'order', 'city'), tool('same'), tool('refund', 'amount')]
    onRequest(`GET ${ONE}/diff`, { ...DIFF, parameters: [{ name: 'tools', before, after }] })
    openPage(`${PROMPT_PAGE}?view=diff`)
    const tools = await screen.findByRole('list', { name: 'Tools' })
    const names = [...tools.querySelectorAll('summary')].map(({ textContent }) => textContent)
    expect(names).toEqual([
      '[removed: hand_over()] removed',
      'look_up(order, city) changed',
      '[added: refund(amount)] new',
    ])
    expect(tools.textContent).toContain('"city"')
  })

  it('of a draft shows what it changes in its version', async () => {
    const user = openPage(PROMPT_PAGE)
    await user.type(await text(1), ' Please.')
    await user.click(screen.getByRole('radio', { name: 'Diff' }))
    const message = within(await screen.findByRole('region', { name: 'Message 1' }))
    message.getByText('v3')
    message.getByText('Draft')
    expect(screen.queryByRole('region', { name: 'Message 2' })).toBeNull()
  })
})
