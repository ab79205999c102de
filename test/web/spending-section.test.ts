import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Role, Spending } from '../../web/src/api/generated/api.ts'
import { onRequest, requestsOf } from './mock-api.ts'
import { inSupport, openPage, SUPPORT, signIn } from './open-page.ts'

const NOTHING = { usd: 0, calls: 0, unpricedCalls: 0 }
const SPENDING: Spending = {
  maxUsdPerDay: 5,
  maxUsdPer30Days: null,
  today: {
    ...NOTHING,
    since: '2026-11-26T00:00:00.000Z',
    usd: 1.5,
    reservedUsd: 0,
    kinds: [
      { ...NOTHING, kind: 'judges', usd: 1 },
      { ...NOTHING, kind: 'playground', usd: 0.5 },
    ],
  },
  last30Days: {
    ...NOTHING,
    since: '2026-10-28T00:00:00.000Z',
    usd: 12,
    unpricedCalls: 3,
    reservedUsd: 0.25,
    kinds: [
      { ...NOTHING, kind: 'judges', usd: 10 },
      { ...NOTHING, kind: 'playground', usd: 2 },
    ],
  },
  days: [],
  reached: null,
}

async function openSpending(spending = SPENDING, role: Role = 'admin') {
  signIn(role, [SUPPORT])
  onRequest('GET /connections', { data: [] })
  onRequest('GET /spending', spending)
  onRequest('PUT /spending', ({ body }) => ({ ...spending, ...Object(body) }))
  const user = openPage(inSupport('settings/models'))
  await screen.findByRole('heading', { name: 'Spending' })
  await screen.findByRole('table', { name: 'Spending' })
  return user
}

const perDay = () => screen.getByRole('spinbutton', { name: 'Limit per day, $' })
const perMonth = () => screen.getByRole('spinbutton', { name: 'Limit per 30 days, $' })
const save = () => screen.getByRole('button', { name: 'Save limits' })

describe('the spending of an application', () => {
  it('is shown by kind, for today and 30 days, with what is not part of it', async () => {
    await openSpending()
    const rows = within(screen.getByRole('table', { name: 'Spending' })).getAllByRole('row')
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      'Spent byToday30 days',
      expect.stringMatching(/^Judges\$1\D.*\$10/),
      expect.stringMatching(/^Playground\$0\.50*.*\$2/),
      expect.stringMatching(/^All\$1\.50*.*\$12/),
    ])
    expect(screen.getByText(/is the maximum of calls that have not ended/)).toBeTruthy()
    expect(screen.getByText(/^3 calls of models without a price are not part of it/)).toBeTruthy()
  })

  it('gets new limits from an admin; an empty field is none', async () => {
    const user = await openSpending()
    expect(perDay()).toHaveProperty('value', '5')
    expect(perMonth()).toHaveProperty('value', '')
    await user.clear(perDay())
    await user.type(perMonth(), '100')
    await user.click(save())
    await screen.findByText('The spending limits are saved.')
    expect(requestsOf('PUT /spending').map(({ body }) => body)).toEqual([{ maxUsdPerDay: null, maxUsdPer30Days: 100 }])
  })

  it('says which limit is reached', async () => {
    await openSpending({ ...SPENDING, reached: 'The spending limit of $5 per day leaves no room.' })
    expect(screen.getByText('The spending limit of $5 per day leaves no room.')).toBeTruthy()
  })

  it('is read by everyone, and changed by admins only', async () => {
    const user = await openSpending(SPENDING, 'viewer')
    expect(perDay()).toHaveProperty('readOnly', true)
    await user.click(save())
    expect(requestsOf('PUT /spending')).toEqual([])
  })
})
