import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { onRequest } from './mock-api.ts'
import { eventually, openInstead, openPage, reloadPage, signIn } from './open-page.ts'
import { itemAt, PLAYGROUND_PAGE, servePlayground } from './playground-examples.ts'
import { fieldOf, openFilled, runAll, sentTries, typeValue } from './playground-steps.ts'
import { PROMPT_PAGE } from './prompt-examples.ts'

beforeEach(() => {
  signIn()
  servePlayground()
})

const ITEMS = 'GET /components/{componentId}/datasets/{datasetId}/items'
const serveItem = (input: string) =>
  onRequest(ITEMS, ({ query }) => ({ data: [{ ...itemAt(Number(query['offset'])), input }] }))

describe('what was typed for the variables of a prompt', () => {
  it('is there after a reload, and a new row begins with all but its question', async () => {
    await openFilled()
    const user = reloadPage()
    expect(await fieldOf('company')).toHaveProperty('value', 'Halden')
    expect(await fieldOf('question')).toHaveProperty('value', 'Where is my order?')
    await user.click(await screen.findByRole('button', { name: 'Add a row' }))
    expect(await fieldOf('company', 2)).toHaveProperty('value', 'Halden')
    expect(await fieldOf('question', 2)).toHaveProperty('value', '')
  })

  it('is used for items that do not have it, until it is emptied', async () => {
    serveItem('{"question": "Why?"}')
    await openFilled()
    const user = openInstead(`${PLAYGROUND_PAGE}?rows=items&items=1`)
    const field = await screen.findByRole('textbox', { name: 'company' })
    expect(field).toHaveProperty('value', 'Halden')
    await runAll(user)
    await eventually(() => expect(sentTries()[0]).toMatchObject({ variables: { company: 'Halden' } }))
    await user.clear(field)
    await screen.findByText(/^company has no value in item \d+\.$/, { selector: 'header span' })
  })

  it('never replaces what an item has', async () => {
    await openFilled()
    const user = openInstead(`${PLAYGROUND_PAGE}?rows=items&items=1`)
    await runAll(user)
    await eventually(() => expect(sentTries()[0]).toMatchObject({ variables: {}, itemId: expect.any(String) }))
  })

  it('for items is used in rows, and stays empty where it was emptied', async () => {
    serveItem('{"question": "Why?"}')
    const user = openPage(`${PLAYGROUND_PAGE}?rows=items&items=1`)
    await user.type(await screen.findByRole('textbox', { name: 'company' }), 'Halden')
    openInstead(PLAYGROUND_PAGE)
    expect(await fieldOf('company')).toHaveProperty('value', 'Halden')
    await typeValue('company', '')
    expect(await fieldOf('company')).toHaveProperty('value', '')
  })

  it('is shown next to the variables on the page of the prompt', async () => {
    await openFilled()
    openInstead(PROMPT_PAGE)
    const card = within(await screen.findByRole('region', { name: 'Variables' }))
    await card.findByText('Values of your last try, kept on this device.')
    expect(card.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'companyHalden',
      'questionWhere is my order?',
    ])
  })
})
