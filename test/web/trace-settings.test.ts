import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import type { Role } from '../../web/src/api/generated/api.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { inSupport, openPage, signIn } from './open-page.ts'

function openWith(createsComponents: boolean, role: Role = 'admin') {
  signIn(role)
  onRequest('GET /sharing', { linksAllowed: false, activeLinks: 0 })
  onRequest('GET /trace-settings', { createsComponents })
  return openPage(inSupport('settings/general'))
}

const NAME = 'Create components that traces name'
const isOn = (box: HTMLElement) => box instanceof HTMLInputElement && box.checked

it('an admin lets traces create the components that they name, and reads what happens now', async () => {
  const user = openWith(false)
  onRequest('PUT /trace-settings', { createsComponents: true })
  const box = await screen.findByRole('checkbox', { name: NAME })
  expect(isOn(box)).toBe(false)
  await user.click(box)
  await screen.findByText('New traces create their components.')
  expect(requestsOf('PUT /trace-settings')).toMatchObject([{ body: { createsComponents: true } }])
  expect(isOn(await screen.findByRole('checkbox', { name: NAME }))).toBe(true)
})

it('an admin turns it off', async () => {
  const user = openWith(true)
  onRequest('PUT /trace-settings', { createsComponents: false })
  await user.click(await screen.findByRole('checkbox', { name: NAME }))
  await screen.findByText('Traces create no components now.')
  expect(requestsOf('PUT /trace-settings')).toMatchObject([{ body: { createsComponents: false } }])
})

it('a failure is shown, and the setting stays as it is', async () => {
  const user = openWith(false)
  onRequest('PUT /trace-settings', failed(403, 'Forced 403.'))
  await user.click(await screen.findByRole('checkbox', { name: NAME }))
  await screen.findByText(/Forced 403/)
  expect(isOn(await screen.findByRole('checkbox', { name: NAME }))).toBe(false)
})

it('an editor sees it with the reason why it cannot be changed', async () => {
  const user = openWith(true, 'editor')
  const description = 'Changing this setting requires the role admin; yours is editor.'
  const box = await screen.findByRole('checkbox', { name: NAME, description })
  expect(isOn(box)).toBe(true)
  await user.click(box)
  expect(requestsOf('PUT /trace-settings')).toEqual([])
})
