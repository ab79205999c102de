import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import auditActions from '../../src/auth/audit/audit.ts?raw'
import securityActions from '../../src/auth/audit/security-event-queries.ts?raw'
import type { AuditEvent, DirectoryEntry, Role } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ADA, address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport('settings/audit')
const GRACE: DirectoryEntry = { userId: idOf(30), name: 'Grace Hopper', state: 'member', role: 'editor' }

const GONE: DirectoryEntry = { userId: idOf(31), name: 'Joan Clarke', state: 'former', role: null }

let lastId = 100

function eventOf(changes: Partial<AuditEvent>): AuditEvent {
  lastId += 1
  return {
    ...exampleOf<AuditEvent>('AuditEvent'),
    id: idOf(lastId),
    actorId: GRACE.userId,
    actorKind: 'session',
    action: 'retention.changed',
    resourceId: idOf(2),
    requestId: '5f0c1f9e-0000-4000-8000-0000deadbeef',
    address: '203.0.113.7',
    createdAt: new Date().toISOString(),
    ...changes,
  }
}

function openAudit(events: AuditEvent[], role: Role = 'admin') {
  signIn(role)
  onRequest('GET /members/directory', { data: [GRACE, { ...GRACE, userId: ADA.id, name: ADA.name }, GONE] })
  onRequest('GET /audit-log', { data: events })
  return openPage(PAGE)
}

const entries = async (count = 1) => {
  await eventually(() => expect(screen.queryAllByRole('time')).toHaveLength(count))
  return screen.getAllByRole('time').map((time) => within(time.closest('li') ?? time))
}

/** The sentence of each entry. */
const sentences = () => screen.getAllByRole('time').map((time) => time.closest('li')?.querySelector('p')?.textContent)

describe('audit page', () => {
  it.each([
    [{}, 'Grace Hopper changed the retention period'],
    [{ actorKind: 'api-key', action: 'price.created' }, 'Grace Hopper added a price with an API key'],
    [
      { actorKind: 'command-line', action: 'account.disabled', resourceId: ADA.id },
      'The operator disabled the account of Ada Lovelace on the command line',
    ],
    [
      { actorKind: 'anonymous', action: 'session.rejected', resourceId: ADA.id, count: 12 },
      'An unknown caller failed to sign in as Ada Lovelace 12 times',
    ],
    [{ actorId: idOf(99), action: 'component.deleted' }, 'A former member deleted a component'],
    [{ actorId: GONE.userId, action: 'run.deleted' }, 'Joan Clarke deleted a run'],
    [
      { action: 'member.changed', resourceId: ADA.id, detail: 'editor' },
      'Grace Hopper changed the role of Ada Lovelace to editor',
    ],
    [
      { action: 'member.invited', detail: 'new@example.com as viewer' },
      'Grace Hopper invited new@example.com as viewer',
    ],
    [{ action: 'api-key.created', detail: 'viewer' }, 'Grace Hopper created an API key with the role viewer'],
    [{ action: 'access.denied', resourceId: 'PUT /retention' }, 'Grace Hopper was denied PUT /retention'],
    [{ action: 'moon.landed' }, 'Grace Hopper moon.landed'],
  ])('describes %j in words', async (changes, expected) => {
    openAudit([eventOf(changes)])
    await eventually(() => expect(sentences()).toEqual([expected]))
  })

  it('every action that the server records has words', async () => {
    const actions = [...`${auditActions}${securityActions}`.matchAll(/'([a-z-]+\.[a-z-]+)'/g)].map(
      ([, name = '']) => name,
    )
    expect(actions).toContain('retention.changed')
    expect(actions).toContain('access.denied')
    openAudit(actions.map((action) => eventOf({ action })))
    await entries(actions.length)
    const wordless = sentences().filter((sentence) => /[a-z]\.[a-z]/.test(sentence ?? ''))
    expect(wordless).toEqual([])
  })

  it('every action that the server records is found by a kind', async () => {
    openAudit([eventOf({})])
    const kinds = within(await screen.findByRole('combobox', { name: 'Kind' })).getAllByRole<HTMLOptionElement>(
      'option',
    )
    const names = kinds.flatMap(({ value }) => value.split(',').filter(Boolean))
    const actions = [...`${auditActions}${securityActions}`.matchAll(/'([a-z-]+\.[a-z-]+)'/g)].map(
      ([, name = '']) => name,
    )
    expect(actions).toContain('traces.assigned')
    expect(actions.filter((action) => !names.some((name) => action === name || action.startsWith(`${name}.`)))).toEqual(
      [],
    )
  })

  it('shows the action, the address, and the ids to copy', async () => {
    const event = eventOf({})
    const user = openAudit([event])
    const [entry] = await entries()
    expect(entry?.getAllByRole('definition').map(({ textContent }) => textContent?.slice(0, 17))).toEqual([
      'retention.changed',
      '…00000002',
      '203.0.113.7',
      '…deadbeef',
    ])
    await user.click(screen.getByRole('button', { name: 'Copy request id' }))
    expect(await navigator.clipboard.readText()).toBe(event.requestId)
    await user.click(screen.getByRole('button', { name: 'Copy resource id' }))
    expect(await navigator.clipboard.readText()).toBe(event.resourceId)
  })

  it('a former member is identified by the id', async () => {
    const user = openAudit([eventOf({ actorId: idOf(99) })])
    await user.click(await screen.findByRole('button', { name: 'Copy user id' }))
    expect(await navigator.clipboard.readText()).toBe(idOf(99))
  })

  it('the command line has neither an address nor a request', async () => {
    openAudit([eventOf({ actorKind: 'command-line', address: '', requestId: 'command-line' })])
    const [entry] = await entries()
    expect(entry?.queryByText('From')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Copy request id' })).toBeNull()
  })

  it('groups events by day, newest first', async () => {
    const before = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    openAudit([eventOf({}), eventOf({ createdAt: before(1) }), eventOf({ createdAt: '2026-01-05T12:00:00.000Z' })])
    await entries(3)
    const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
    expect(titles).toEqual(['Today', 'Yesterday', '5 January 2026'])
  })

  it('continues after the last event of a full page, even if events have arrived since', async () => {
    const full = Array.from({ length: 50 }, () => eventOf({}))
    const user = openAudit(full)
    onRequest('GET /audit-log', ({ query }) => ({ data: query['cursor'] === full.at(-1)?.id ? [eventOf({})] : full }))
    await user.click(await screen.findByRole('button', { name: 'Load more' }))
    await entries(51)
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
  })

  it('an address with filters requests exactly these events, and other choices change the address', async () => {
    signIn('admin')
    onRequest('GET /members/directory', { data: [GRACE, GONE] })
    onRequest('GET /audit-log', { data: [] })
    const user = openPage(`${PAGE}?action=member,invitation&actor=${GONE.userId}&from=2026-11-02&to=2026-11-03`)
    await heading('No event matches')
    expect(requestsOf('GET /audit-log').at(-1)?.query).toEqual({
      action: 'member,invitation',
      actor_id: GONE.userId,
      created_after: new Date('2026-11-02T00:00:00').toISOString(),
      created_before: new Date('2026-11-04T00:00:00').toISOString(),
      limit: '50',
    })
    const person = screen.getByRole('combobox', { name: 'Person' })
    expect(within(person).getByRole('option', { name: 'Joan Clarke (former member)', selected: true })).toBeTruthy()
    await user.selectOptions(person, 'Grace Hopper')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Kind' }), 'Sign-ins')
    await eventually(() =>
      expect(requestsOf('GET /audit-log').at(-1)?.query).toMatchObject({ action: 'session', actor_id: GRACE.userId }),
    )
    expect(address()).toBe(`${PAGE}?action=session&actor=${GRACE.userId}&from=2026-11-02&to=2026-11-03`)
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    await eventually(() => expect(address()).toBe(PAGE))
  })

  it('ignores filters in the address that the server would reject', async () => {
    signIn('admin')
    onRequest('GET /audit-log', { data: [] })
    openPage(`${PAGE}?action=A%20B&actor=grace&from=yesterday&to=2026-99-99`)
    await heading('Nothing recorded yet')
  })

  it('is readable without the names of the members', async () => {
    openAudit([eventOf({})])
    onRequest('GET /members/directory', failed(403, 'Forbidden'))
    await eventually(() => expect(sentences()).toEqual(['A member changed the retention period']))
  })

  it.each(['viewer', 'editor'] as const)('does not request the log as %s, and says why', async (role) => {
    openAudit([], role)
    await heading('Not for your role')
    expect(
      screen.getByText(new RegExp(`^Reading the audit log requires the role admin; yours is ${role}.`)),
    ).toBeTruthy()
    expect(requestsOf('GET /audit-log')).toEqual([])
    expect(requestsOf('GET /members/directory')).toEqual([])
  })

  it('explains an empty log', async () => {
    openAudit([])
    await heading('Nothing recorded yet')
  })

  it('a log that could not be loaded is requested again', async () => {
    const user = openAudit([])
    onRequest('GET /audit-log', failed(429, 'Too many requests'))
    await screen.findByText('Too many requests')
    onRequest('GET /audit-log', { data: [eventOf({})] })
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await entries()
  })
})
