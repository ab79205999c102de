import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { CreatedMember, Member, Role } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ADA, address, eventually, heading, idOf, inSupport, openPage, SUPPORT, signIn } from './open-page.ts'

const PAGE = inSupport('settings/members')
const ME = memberOf({ id: ADA.id, userId: ADA.id, name: ADA.name, email: ADA.email, role: 'owner' })
const GRACE = memberOf({ id: idOf(30), userId: idOf(30), name: 'Grace', email: 'grace@example.com', role: 'editor' })
const INVITED = memberOf({ id: idOf(31), email: 'new@example.com', role: 'viewer', state: 'invited' })
const LINK: CreatedMember = {
  ...exampleOf<CreatedMember>('CreatedMember'),
  email: 'new@example.com',
  role: 'annotator',
  invitationUrl: 'https://touchstone.example.com/invite#secret',
}

function memberOf(changes: Partial<Member>): Member {
  return { ...exampleOf<Member>('Member'), state: 'member', ...changes }
}

function openMembers(role: Role, members: Member[], search = '') {
  signIn(role)
  onRequest('GET /members', { data: members })
  return openPage(`${PAGE}${search}`)
}

const roleOf = (email: string) => screen.getByRole('combobox', { name: `Role of ${email}` })

describe('members page', () => {
  it.each(['viewer', 'annotator', 'editor'] as const)(
    'does not ask for the members as %s, and says why',
    async (role) => {
      const user = openMembers(role, [], '?new=true')
      await heading('Not for your role')
      const reason = `Managing members requires the role admin; yours is ${role}.`
      expect(screen.getByText(`${reason} Ask an admin of this application.`)).toBeTruthy()
      await user.click(screen.getByRole('button', { name: 'Invite member', description: reason }))
      expect(screen.queryByRole('dialog')).toBeNull()
      expect(requestsOf('GET /members')).toEqual([])
    },
  )

  it('shows members and invitations, and marks the user', async () => {
    openMembers('admin', [ME, GRACE, { ...INVITED, expiresAt: new Date(Date.now() + 3 * 86_400_000).toISOString() }])
    const mine = await screen.findByRole('row', { name: /^Ada Lovelace/ })
    expect(within(mine).getByText('you')).toBeTruthy()
    const invited = within(screen.getByRole('row', { name: /^new@example.com/ }))
    expect(invited.getByText('invited')).toBeTruthy()
    expect(invited.getByText('in 3 days')).toBeTruthy()
    expect(screen.queryByRole('button', { name: `New link for ${GRACE.email}` })).toBeNull()
  })

  it('shows who has a second factor, and requires one of all members', async () => {
    onRequest('GET /security-settings', { requiresSecondFactor: false, membersWithoutSecondFactor: 1 })
    const user = openMembers('admin', [
      { ...ME, secondFactor: 'on' },
      { ...GRACE, secondFactor: 'off' },
    ])
    const grace = within(await screen.findByRole('row', { name: /^Grace/ }))
    expect(grace.getByText('off')).toBeTruthy()
    const box = await screen.findByRole('checkbox', { name: 'Require a second factor' })
    expect(screen.getByText('1 member has none, and would lose access until they turn one on.')).toBeTruthy()
    onRequest('PATCH /security-settings', { requiresSecondFactor: true, membersWithoutSecondFactor: 1 })
    await user.click(box)
    await screen.findByText('1 member has none, and cannot enter.')
    expect(requestsOf('PATCH /security-settings')).toMatchObject([{ body: { requiresSecondFactor: true } }])
  })

  it('leads an admin without a second factor to the account', async () => {
    onRequest('GET /security-settings', { requiresSecondFactor: false, membersWithoutSecondFactor: 2 })
    onRequest('PATCH /security-settings', failed(409, 'Turn on your own second factor first'))
    const user = openMembers('owner', [ME])
    await user.click(await screen.findByRole('checkbox', { name: 'Require a second factor' }))
    expect((await screen.findByRole('alert')).textContent).toContain('Turn on your own second factor first')
    const link = screen.getByRole('link', { name: 'Your second factor' })
    expect(link.getAttribute('href')).toBe('/account#second-factor')
  })

  it('a member who needs a second factor is led to the account, on every page of the application', async () => {
    signIn('editor')
    onRequest('GET /me', failed(403, 'This application requires a second factor'))
    openPage(PAGE)
    await heading('Support requires a second factor')
    expect(address()).toBe(`/factor-required/${SUPPORT.id}`)
    const link = screen.getByRole('link', { name: 'Turn on a second factor' })
    expect(link.getAttribute('href')).toBe('/account#second-factor')
  })

  it('changes a role, and says so', async () => {
    const user = openMembers('admin', [GRACE])
    await screen.findByRole('row', { name: /^Grace/ })
    onRequest('PATCH /members/{userId}', () => {
      onRequest('GET /members', { data: [{ ...GRACE, role: 'admin' }] })
      return { ...GRACE, role: 'admin' }
    })
    await user.selectOptions(roleOf(GRACE.email), 'admin')
    await screen.findByText('grace@example.com is now admin.')
    await eventually(() => expect(roleOf(GRACE.email)).toHaveProperty('value', 'admin'))
    expect(requestsOf('PATCH /members/{userId}')).toMatchObject([
      { params: { userId: GRACE.id }, body: { role: 'admin' } },
    ])
  })

  it('shows the old role again if the change is rejected, with the reason', async () => {
    const user = openMembers('owner', [ME])
    await screen.findByRole('row', { name: /^Ada/ })
    onRequest('PATCH /members/{userId}', failed(409, 'The application needs an owner'))
    await user.selectOptions(roleOf(ME.email), 'viewer')
    await screen.findByText('The application needs an owner')
    await eventually(() => expect(roleOf(ME.email)).toHaveProperty('value', 'owner'))
  })

  it('an admin neither changes nor removes an owner, nor appoints one', async () => {
    const user = openMembers('admin', [{ ...GRACE, role: 'owner' }, INVITED])
    await screen.findByRole('row', { name: /^Grace/ })
    expect(roleOf(GRACE.email)).toHaveProperty('disabled', true)
    const description = 'Only an owner can change or remove an owner.'
    await user.click(screen.getByRole('button', { name: 'Remove grace@example.com', description }))
    expect(screen.queryByRole('dialog')).toBeNull()
    const options = within(roleOf(INVITED.email)).getAllByRole('option')
    expect(options.filter((option) => option.hasAttribute('disabled')).map(({ textContent }) => textContent)).toEqual([
      'owner',
    ])
  })

  it('an invitation shows its link once, and the new row', async () => {
    const user = openMembers('admin', [ME])
    await screen.findByRole('row', { name: /^Ada/ })
    onRequest('POST /members', () => {
      onRequest('GET /members', { data: [ME, INVITED] })
      return LINK
    })
    await user.click(screen.getByRole('button', { name: 'Invite member' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite member' }))
    await user.type(dialog.getByRole('textbox', { name: 'E-mail' }), 'new@example.com')
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Role' }), 'annotator')
    expect(dialog.getByText('Reads everything and rates traces.')).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Invite' }))
    const shown = within(await screen.findByRole('dialog', { name: 'Invitation created' }))
    expect(shown.getByRole('status', { name: 'Invitation link' }).textContent).toBe(LINK.invitationUrl)
    await user.click(shown.getByRole('button', { name: 'Copy invitation link' }))
    expect(await navigator.clipboard.readText()).toBe(LINK.invitationUrl)
    await user.click(shown.getByRole('button', { name: 'Done' }))
    await screen.findByRole('row', { name: /^new@example.com/ })
    await eventually(() => expect(document.body.innerHTML).not.toContain('secret'))
    expect(requestsOf('POST /members')).toMatchObject([{ body: { email: 'new@example.com', role: 'annotator' } }])
    expect(address()).toBe(PAGE)
  })

  it('an invitation requires an e-mail address', async () => {
    const user = openMembers('admin', [ME], '?new=true')
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite member' }))
    await user.type(dialog.getByRole('textbox', { name: 'E-mail' }), 'grace{Enter}')
    await dialog.findByRole('alert')
    expect(requestsOf('POST /members')).toEqual([])
  })

  it('a lost link is replaced by a new one for the same role', async () => {
    const user = openMembers('admin', [INVITED])
    onRequest('POST /members', LINK)
    await user.click(await screen.findByRole('button', { name: 'New link for new@example.com' }))
    expect(requestsOf('POST /members')).toEqual([])
    await user.click(await screen.findByRole('button', { name: 'Create link' }))
    await screen.findByRole('status', { name: 'Invitation link' })
    expect(requestsOf('POST /members')).toMatchObject([{ body: { email: 'new@example.com', role: 'viewer' } }])
  })

  it('removing a member asks for confirmation, then shows a message', async () => {
    const user = openMembers('owner', [ME, GRACE])
    await user.click(await screen.findByRole('button', { name: 'Remove grace@example.com' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove member' }))
    onRequest('GET /members', { data: [ME] })
    await user.click(dialog.getByRole('button', { name: 'Remove' }))
    await screen.findByText('Removed grace@example.com.')
    await eventually(() => expect(screen.queryByRole('row', { name: /^Grace/ })).toBeNull())
    expect(requestsOf('DELETE /members/{userId}')).toMatchObject([{ params: { userId: GRACE.id } }])
  })

  it('removing oneself is leaving, and sends no request to the application afterwards', async () => {
    const user = openMembers('owner', [ME])
    await user.click(await screen.findByRole('button', { name: `Remove ${ADA.email}` }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Leave the application' }))
    onRequest('DELETE /members/me', () => {
      onRequest('GET /workspaces', { data: [] })
      onRequest('GET /me', failed(401, 'Sign in first'))
      onRequest('GET /members', failed(401, 'Sign in first'))
      return null
    })
    await user.click(dialog.getByRole('button', { name: 'Leave' }))
    await heading('No application yet')
    expect(requestsOf('GET /members')).toHaveLength(1)
  })
})
