import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import type { Retention, Role } from '../../web/src/api/generated/api.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { eventually, idOf, inSupport, openPage, SUPPORT, signIn, switchApplication } from './open-page.ts'

const PAGE = inSupport('settings/retention')
const FOREVER: Retention = {
  days: null,
  state: 'idle',
  tracesDeleted: 0,
  tracesLeft: 0,
  startedAt: null,
  finishedAt: null,
}
const KEPT_90: Retention = { ...FOREVER, days: 90 }

async function openRetention(retention = KEPT_90, role: Role = 'admin', applications = [SUPPORT]) {
  signIn(role, applications)
  onRequest('GET /retention', retention)
  onRequest('PUT /retention', ({ body }) => ({ ...retention, ...(body as { days: number | null }) }))
  const user = openPage(PAGE)
  await screen.findByRole('radio', { name: /^Forever/ })
  return user
}

const chosen = () => screen.getAllByRole('radio').map((radio) => (radio as HTMLInputElement).checked)
const days = () => screen.getByRole('spinbutton', { name: 'Days' })
const saveButton = () => screen.getByRole('button', { name: /^Save/ })
const saved = () => requestsOf('PUT /retention').map(({ body }) => body)

async function enterDays(user: Awaited<ReturnType<typeof openRetention>>, text: string) {
  await user.clear(days())
  await user.type(days(), text)
  await user.click(saveButton())
}

describe('retention page', () => {
  it('shows that traces are kept forever', async () => {
    await openRetention(FOREVER)
    expect(chosen()).toEqual([true, false])
    expect(screen.queryByRole('spinbutton')).toBeNull()
    expect(screen.getByText('None yet. Traces are kept forever.')).toBeTruthy()
  })

  it('a first period is confirmed with the name of the application, because traces are deleted', async () => {
    const user = await openRetention(FOREVER)
    await user.click(screen.getByRole('radio', { name: /^For a number of days/ }))
    await enterDays(user, '30')
    const dialog = await screen.findByRole('dialog', { name: 'Delete older traces' })
    expect(dialog.textContent).toContain('kept for 30 days')
    expect(dialog.textContent).toContain('deleted permanently')
    await user.click(within(dialog).getByRole('button', { name: 'Delete older traces' }))
    expect(saved()).toEqual([])
    await user.type(within(dialog).getByRole('textbox'), `${SUPPORT.name}{Enter}`)
    await screen.findByText('Traces are kept for 30 days.')
    expect(saved()).toEqual([{ days: 30 }])
    expect(days()).toHaveProperty('value', '30')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Discard changes' })).toBeNull()
  })

  it('a shorter period is confirmed, and nothing is sent if the dialog is closed', async () => {
    const user = await openRetention()
    await enterDays(user, '1')
    const dialog = await screen.findByRole('dialog', { name: 'Delete older traces' })
    expect(dialog.textContent).toContain('kept for 1 day')
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    expect(saved()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Discard changes' }))
    expect(days()).toHaveProperty('value', '90')
  })

  it('a longer period deletes nothing, and is saved at once', async () => {
    const user = await openRetention()
    await enterDays(user, '365')
    await screen.findByText('Traces are kept for 365 days.')
    expect(saved()).toEqual([{ days: 365 }])
  })

  it('keeping traces forever is saved at once', async () => {
    const user = await openRetention()
    await user.click(screen.getByRole('radio', { name: /^Forever/ }))
    await user.click(saveButton())
    await screen.findByText('Traces are kept forever.')
    expect(saved()).toEqual([{ days: null }])
  })

  it.each(['', '0', '1.5', '3651'])('%j days are not sent', async (text) => {
    const user = await openRetention()
    await user.clear(days())
    if (text) await user.type(days(), text)
    await user.click(saveButton())
    await screen.findByRole('alert')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(saved()).toEqual([])
  })

  it('shows why the server rejects a period: in the dialog if one is open, else in the form', async () => {
    const user = await openRetention()
    onRequest('PUT /retention', failed(403, 'Requires the role admin'))
    await enterDays(user, '30')
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox'), `${SUPPORT.name}{Enter}`)
    expect((await dialog.findByRole('alert')).textContent).toContain('Requires the role admin')
    await user.click(dialog.getByRole('button', { name: 'Cancel' }))
    await enterDays(user, '120')
    await screen.findByText('Requires the role admin')
    expect(days()).toHaveProperty('value', '120')
  })

  it('shows the progress of a cleanup, and its result when it is finished', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const startedAt = new Date(Date.now() - 3 * 60_000).toISOString()
    await openRetention({ ...KEPT_90, state: 'clearing', tracesDeleted: 1200, tracesLeft: 800, startedAt })
    expect(screen.getByText(/1,200 of 2,000 traces deleted/).textContent).toContain('started 3 minutes ago')
    expect(screen.getByRole('progressbar', { name: 'Deleted traces' })).toMatchObject({ value: 1200, max: 2000 })
    const finishedAt = new Date().toISOString()
    onRequest('GET /retention', { ...KEPT_90, tracesDeleted: 2000, startedAt, finishedAt })
    await eventually(() => screen.getByText(/^2,000 traces deleted, finished/))
  })

  it('a change is not kept for another application', async () => {
    const sales = { ...SUPPORT, id: idOf(20), name: 'Sales' }
    const user = await openRetention(KEPT_90, 'admin', [SUPPORT, sales])
    await switchApplication(user, 'Support', 'Sales')
    await user.type(await screen.findByRole('spinbutton', { name: 'Days' }), '0')
    // Its period is known already, so the form is there at once.
    await switchApplication(user, 'Sales', 'Support')
    await eventually(() => expect(days()).toHaveProperty('value', '90'))
  })

  it('an editor reads the period, and sees which role may change it', async () => {
    const user = await openRetention(KEPT_90, 'editor')
    const description = 'Changing the retention period requires the role admin; yours is editor.'
    expect(days()).toHaveProperty('readOnly', true)
    await user.click(screen.getByRole('button', { name: 'Save', description }))
    await user.type(days(), '{Enter}')
    expect(saved()).toEqual([])
  })

  it('a period that could not be loaded is requested again', async () => {
    signIn()
    onRequest('GET /retention', failed(429, 'Too many requests'))
    const user = openPage(PAGE)
    await screen.findByText('Too many requests')
    onRequest('GET /retention', KEPT_90)
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByRole('spinbutton', { name: 'Days' })
  })
})
