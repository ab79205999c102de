import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Price, Role } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport('settings/prices')
const LLAMA: Price = {
  ...exampleOf<Price>('Price'),
  id: idOf(60),
  modelPattern: 'our-llama-.*',
  inputPerMillion: 0.2,
  outputPerMillion: 0.6,
}
const GPT: Price = {
  ...LLAMA,
  id: idOf(61),
  modelPattern: 'gpt-5',
  provider: 'openai',
  cacheReadPerMillion: 0.0125,
  cacheWritePerMillion: 1250,
  validFrom: '2026-01-01T00:00:00.000Z',
  validUntil: '2027-01-01T00:00:00.000Z',
}

async function openPrices(role: Role = 'editor', prices = [LLAMA], search = '') {
  signIn(role)
  onRequest('GET /prices', { data: prices })
  const user = openPage(`${PAGE}${search}`)
  await heading('Prices')
  return user
}

async function fillPrice() {
  const user = await openPrices('editor', [], '?new=true')
  const dialog = within(await screen.findByRole('dialog', { name: 'Add price' }))
  await user.type(dialog.getByRole('textbox', { name: 'Model' }), ' our-llama-.* ')
  await user.type(dialog.getByRole('spinbutton', { name: 'Input' }), '0.2')
  await user.type(dialog.getByRole('spinbutton', { name: 'Output' }), '0.6')
  return { user, dialog, submit: () => user.click(dialog.getByRole('button', { name: 'Add price' })) }
}

const createdPrices = () => requestsOf('POST /prices').map(({ body }) => body)

describe('prices page', () => {
  it('shows each price with its provider, caches and period', async () => {
    await openPrices('viewer', [LLAMA, GPT])
    const texts = async (name: string) => {
      const row = within(await screen.findByRole('listitem', { name }))
      return [row.getByRole('paragraph'), ...row.getAllByRole('definition')].map(({ textContent }) => textContent)
    }
    expect(await texts('our-llama-.*')).toEqual([
      'any provider · at any time',
      '$0.20',
      '$0.60',
      'as input',
      'as input',
    ])
    expect(await texts('gpt-5')).toEqual([
      'openai · from 1 Jan 2026, before 1 Jan 2027',
      '$0.20',
      '$0.60',
      '$0.0125',
      '$1,250.00',
    ])
  })

  it('explains an empty list', async () => {
    await openPrices('viewer', [])
    await heading('No price of your own')
  })

  it('creates a price from the required fields, for new traces', async () => {
    const { submit } = await fillPrice()
    onRequest('POST /prices', () => {
      onRequest('GET /prices', { data: [LLAMA] })
      return LLAMA
    })
    await submit()
    await screen.findByText('Added a price for our-llama-.*. It applies to new traces.')
    await screen.findByRole('listitem', { name: 'our-llama-.*' })
    expect(createdPrices()).toEqual([
      {
        modelPattern: 'our-llama-.*',
        provider: null,
        inputPerMillion: 0.2,
        outputPerMillion: 0.6,
        cacheReadPerMillion: null,
        cacheWritePerMillion: null,
        validFrom: null,
        validUntil: null,
      },
    ])
    expect(address()).toBe(PAGE)
  })

  it('sends provider, caches and period; days begin at midnight UTC', async () => {
    const { user, dialog, submit } = await fillPrice()
    await user.type(dialog.getByRole('textbox', { name: 'Provider' }), 'ours')
    await user.type(dialog.getByRole('spinbutton', { name: 'Cache read' }), '0')
    await user.type(dialog.getByRole('spinbutton', { name: 'Cache write' }), '0.25')
    await user.type(dialog.getByLabelText(/^From/), '2026-01-01')
    await user.type(dialog.getByLabelText(/^Before/), '2027-01-01')
    await submit()
    await screen.findByText(/^Added a price/)
    expect(createdPrices()).toMatchObject([
      {
        provider: 'ours',
        cacheReadPerMillion: 0,
        cacheWritePerMillion: 0.25,
        validFrom: '2026-01-01T00:00:00Z',
        validUntil: '2027-01-01T00:00:00Z',
      },
    ])
  })

  it('a price without an amount is not sent', async () => {
    const { user, dialog, submit } = await fillPrice()
    await user.clear(dialog.getByRole('spinbutton', { name: 'Output' }))
    await submit()
    await dialog.findByRole('alert')
    expect(createdPrices()).toEqual([])
  })

  it('shows why the server rejects a pattern, and the typed text stays', async () => {
    const { dialog, submit } = await fillPrice()
    const message = 'modelPattern is not a pattern that can be used here: it looks ahead or behind'
    onRequest('POST /prices', failed(400, message))
    await submit()
    expect((await dialog.findByRole('alert')).textContent).toContain(message)
    expect(dialog.getByRole('spinbutton', { name: 'Input' })).toHaveProperty('value', '0.2')
  })

  it('deleting names the consequence, then removes the price', async () => {
    const user = await openPrices()
    await user.click(await screen.findByRole('button', { name: 'Delete our-llama-.*' }))
    const dialog = await screen.findByRole('dialog', { name: 'Delete price' })
    expect(dialog.textContent).toContain('Stored costs do not change.')
    onRequest('GET /prices', { data: [] })
    await user.click(within(dialog).getByRole('button', { name: 'Delete price' }))
    await screen.findByText('Deleted the price for our-llama-.*.')
    await heading('No price of your own')
    expect(requestsOf('DELETE /prices/{priceId}')).toMatchObject([{ params: { priceId: LLAMA.id } }])
  })

  it.each([
    ['all', null],
    ['of the last 30 days', 30],
  ])('applying prices to stored traces asks for confirmation: %s', async (choice, days) => {
    const user = await openPrices()
    await user.click(await screen.findByRole('button', { name: 'Apply to stored traces…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Apply to stored traces' }))
    expect(dialog.getByText('Costs that the sender reported do not change.')).toBeTruthy()
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Traces' }), choice)
    expect(requestsOf('POST /traces/reprice')).toEqual([])
    const since = days === null ? null : Date.now() - days * 86_400_000
    await user.click(dialog.getByRole('button', { name: 'Apply prices' }))
    await screen.findByText('Costs are computed again, in the background.')
    const [{ body } = { body: undefined }] = requestsOf('POST /traces/reprice')
    const { startAfter } = body as { startAfter: string | null }
    if (since === null) expect(startAfter).toBeNull()
    else expect(Date.parse(startAfter ?? '')).toBeGreaterThanOrEqual(since)
  })

  it('a viewer reads the prices, and sees which role may change them', async () => {
    const user = await openPrices('viewer')
    const description = 'Changing prices requires the role editor; yours is viewer.'
    for (const name of ['Add price', 'Delete our-llama-.*', 'Apply to stored traces…']) {
      await user.click(await screen.findByRole('button', { name, description }))
    }
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('a list that could not be loaded is requested again', async () => {
    signIn()
    onRequest('GET /prices', failed(429, 'Too many requests'))
    const user = openPage(PAGE)
    await screen.findByText('Too many requests')
    onRequest('GET /prices', { data: [LLAMA] })
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByRole('listitem', { name: 'our-llama-.*' })
  })
})
