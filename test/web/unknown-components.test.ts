import { screen, waitFor } from '@testing-library/dom'
import { expect, it } from 'vitest'
import type { Role } from '../../web/src/api/generated/api.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable, openTraces } from './open-traces.ts'

layOutTable()

const NAMED = { name: 'Greeter', traceCount: 272, componentId: null }

function openWith(data: object[], role: Role = 'editor') {
  onRequest('GET /unknown-components', { data })
  return openTraces(undefined, undefined, role)
}

const banner = () => screen.queryByRole('region', { name: 'Traces without a component' })
const text = () => banner()?.textContent?.replaceAll('\u202f', ' ')

it('one click creates the component that traces name and assigns all of them, in as many requests as needed', async () => {
  const user = openWith([NAMED])
  let left = 2
  onRequest('POST /unknown-components', () => {
    left -= 1
    if (left === 0) onRequest('GET /unknown-components', { data: [] })
    return { componentId: idOf(4), assignedCount: 136, hasMore: left > 0 }
  })
  await screen.findByText(/which does not exist/)
  expect(text()).toContain('272 traces name the component Greeter, which does not exist.')
  await user.click(screen.getByRole('button', { name: 'Create Greeter' }))
  await eventually(() => expect(banner()).toBeNull())
  expect(requestsOf('POST /unknown-components').map(({ body }) => body)).toEqual([
    { name: 'Greeter' },
    { name: 'Greeter' },
  ])
})

it('traces of a component that was created later are assigned to it', async () => {
  openWith([{ name: 'Greeter', traceCount: 1, componentId: idOf(4) }])
  await screen.findByRole('button', { name: 'Assign to Greeter' })
  expect(text()).toContain('1 trace names the component Greeter, which was created later.')
})

it('a link leads to the setting with which traces create components', async () => {
  openWith([NAMED])
  const link = await screen.findByRole('link', { name: 'create components by themselves' })
  expect(link.getAttribute('href')).toBe(inSupport('settings/general'))
})

it('a failure is shown where the user clicked, and the button can be used again', async () => {
  const user = openWith([NAMED])
  onRequest('POST /unknown-components', failed(409, 'Forced 409.'))
  const button = await screen.findByRole('button', { name: 'Create Greeter' })
  await user.click(button)
  await screen.findByText(/Forced 409/)
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull())
})

it('a member who may not create components reads why', async () => {
  openWith([NAMED], 'viewer')
  const button = await screen.findByRole('button', { name: 'Create Greeter' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await screen.findByText('Creating components requires the role editor; yours is viewer.')
})

it('is on the overview, too, and not there without such traces', async () => {
  onRequest('GET /unknown-components', { data: [NAMED] })
  signIn('editor')
  openPage(inSupport(''))
  await heading('Overview')
  await screen.findByRole('button', { name: 'Create Greeter' })
})
