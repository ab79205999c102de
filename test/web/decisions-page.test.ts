import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { SharedLink } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { DECISION, DETAIL } from './decision-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { ASSISTANT, address, eventually, idOf, inSupport, openPage, signIn } from './open-page.ts'

const LIST = '/components/{componentId}/decisions'
const ONE = `${LIST}/{decisionId}`
const PAGE = inSupport(`c/${ASSISTANT.id}/compare/decisions`)

function serve(rows = [DECISION]): void {
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest(`GET ${LIST}`, { data: rows, nextCursor: null })
  onRequest(`GET ${ONE}`, DETAIL)
}

describe('the decisions of a component', () => {
  it('show the decision, verdict, reason, author and time, and link to the comparison', async () => {
    signIn('viewer')
    const earlier = { ...DECISION, id: idOf(69), decision: 'undecided' as const, note: '', supersededBy: DECISION.id }
    serve([DECISION, earlier])
    openPage(PAGE)
    const [first, second] = within(await screen.findByRole('list', { name: 'Decisions' })).getAllByRole('listitem')
    const texts = [
      'Do not release',
      'Prompt v7',
      'Prompt v6',
      'Regressed',
      DECISION.summary,
      DECISION.note,
      'Ada Lovelace',
    ]
    for (const text of texts) expect(first?.textContent).toContain(text)
    expect(first?.textContent).not.toContain('superseded')
    expect(second?.textContent).toContain('superseded by a later decision')
    expect(second?.textContent).toContain('Cannot tell yet')
    const compare = within(first ?? document.body).getByRole('link', { name: 'Compare Prompt v7 with Prompt v6' })
    const search = new URL(compare.getAttribute('href') ?? '', 'http://localhost').searchParams
    expect(Object.fromEntries(search)).toEqual({ base: idOf(71), cand: idOf(72), metric: 'grounded', margin: '0.03' })
  })

  it('explain what to do while there is none', async () => {
    signIn()
    serve([])
    openPage(PAGE)
    await screen.findByRole('heading', { name: 'No decision yet' })
    const next = screen.getByRole('link', { name: 'Compare two runs' })
    expect(next.getAttribute('href')).toBe(PAGE.replace('/decisions', ''))
  })

  it('open next to the list with every number that the server stored, and close again', async () => {
    signIn('viewer')
    serve()
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('link', { name: 'Numbers of the decision on Prompt v7' }))
    const panel = await screen.findByRole('complementary', { name: 'Decision' })
    await within(panel).findByText('Support questions')
    expect(address()).toBe(`${PAGE}?decision=${DECISION.id}`)
    const numbers = [
      '−0.10',
      '−0.16 to −0.04 · n 187, corrected for 2 metrics',
      'alone: 95 % −0.15 to −0.05, p 0.003',
      'Equivalent0.85 ×',
      '0.81 to 0.90 × · n 196',
      '198',
      '26',
      '0.03 on grounded',
      '3 results',
    ]
    for (const number of numbers) expect(panel.textContent).toContain(number)
    expect(panel.textContent).toContain('Too few cases to compare Prompt v7 with Prompt v6 on rating')
    expect(within(panel).getByRole('region', { name: 'What changed' }).textContent).toBe('What changedprompt v6 → v7')
    expectMeansWithCount(panel)
    await user.click(within(panel).getByRole('button', { name: 'Close' }))
    await eventually(() => expect(screen.queryByRole('complementary', { name: 'Decision' })).toBeNull())
    expect(address()).toBe(PAGE)
  })

  it('appear when others record them', async () => {
    signIn()
    serve([])
    openPage(PAGE)
    await screen.findByRole('heading', { name: 'No decision yet' })
    serve()
    await sendLiveEvent(['decisions'])
    await screen.findByText(DECISION.note)
  })
})

describe('sharing a decision', () => {
  const LINKS = `${ONE}/links`
  const LINK: SharedLink = {
    ...exampleOf<SharedLink>('SharedLink'),
    id: idOf(80),
    createdAt: '2026-11-16T10:00:00.000Z',
    expiresAt: '2999-01-01T00:00:00.000Z',
    revokedAt: null,
    openedAt: null,
    openedCount: 0,
  }
  const URL_OF_LINK = 'https://touchstone.example.com/shared/abc'

  async function openDialog() {
    const user = openPage(`${PAGE}?decision=${DECISION.id}`)
    await user.click(await screen.findByRole('button', { name: 'Share…' }))
    return { user, dialog: within(await screen.findByRole('dialog', { name: 'Share this decision' })) }
  }

  it('shows the link once, lists it, and revokes it', async () => {
    signIn('editor')
    serve()
    onRequest('GET /sharing', { linksAllowed: true, activeLinks: 0 })
    onRequest(`GET ${LINKS}`, { data: [] })
    onRequest(`POST ${LINKS}`, () => {
      onRequest(`GET ${LINKS}`, { data: [LINK] })
      return { ...LINK, url: URL_OF_LINK }
    })
    onRequest(`DELETE ${LINKS}/{linkId}`, () => {
      onRequest(`GET ${LINKS}`, { data: [{ ...LINK, revokedAt: '2026-11-16T11:00:00.000Z' }] })
      return null
    })
    const { user, dialog } = await openDialog()
    await user.selectOptions(await dialog.findByRole('combobox', { name: 'Expires after' }), '30 days')
    await user.click(dialog.getByRole('button', { name: 'Create link' }))
    expect((await dialog.findByRole('status', { name: 'Shared link' })).textContent).toBe(URL_OF_LINK)
    expect(requestsOf(`POST ${LINKS}`)).toMatchObject([{ body: { expiresInDays: 30 } }])
    await dialog.findByText(/not opened yet/)
    await user.click(dialog.getByRole('button', { name: 'Revoke' }))
    await dialog.findByText(/revoked/)
    expect(dialog.queryByRole('button', { name: 'Revoke' })).toBeNull()
    expect(requestsOf(`DELETE ${LINKS}/{linkId}`)).toMatchObject([{ params: { linkId: LINK.id } }])
  })

  it('says who may allow it while it is off', async () => {
    signIn('editor')
    serve()
    onRequest('GET /sharing', { linksAllowed: false, activeLinks: 0 })
    onRequest(`GET ${LINKS}`, { data: [] })
    const { dialog } = await openDialog()
    await dialog.findByText(/An admin can allow them/)
    expect(dialog.queryByRole('button', { name: 'Create link' })).toBeNull()
  })

  it('links to the setting for an admin', async () => {
    signIn('admin')
    serve()
    onRequest('GET /sharing', { linksAllowed: false, activeLinks: 0 })
    onRequest(`GET ${LINKS}`, { data: [] })
    const { dialog } = await openDialog()
    const link = await dialog.findByRole('link', { name: 'general settings' })
    expect(link.getAttribute('href')).toBe(inSupport('settings/general'))
  })

  it('needs the role editor, and says so', async () => {
    signIn('annotator')
    serve()
    onRequest('GET /sharing', { linksAllowed: true, activeLinks: 0 })
    onRequest(`GET ${LINKS}`, { data: [] })
    const { user, dialog } = await openDialog()
    const description = 'Sharing a decision requires the role editor; yours is annotator.'
    await user.click(await dialog.findByRole('button', { name: 'Create link', description }))
    expect(requestsOf(`POST ${LINKS}`)).toEqual([])
  })

  it('shows why a link could not be created', async () => {
    signIn('editor')
    serve()
    onRequest('GET /sharing', { linksAllowed: true, activeLinks: 0 })
    onRequest(`GET ${LINKS}`, { data: [] })
    onRequest(`POST ${LINKS}`, failed(409, 'A decision has at most 20 active links; revoke one first'))
    const { user, dialog } = await openDialog()
    await user.click(await dialog.findByRole('button', { name: 'Create link' }))
    expect((await dialog.findByRole('alert')).textContent).toContain('at most 20 active links')
  })
})

describe('the setting for shared links', () => {
  it('is changed by admins, and says how many links it concerns', async () => {
    signIn('admin')
    onRequest('GET /sharing', { linksAllowed: true, activeLinks: 3 })
    onRequest('PATCH /sharing', { linksAllowed: false, activeLinks: 3 })
    const user = openPage(inSupport('settings/general'))
    const box = await screen.findByRole('checkbox', { name: 'Allow shared links' })
    await screen.findByText(/3 links can be opened now/)
    await user.click(box)
    await screen.findByText('No shared link works now.')
    await screen.findByText(/3 links that have not expired would work again/)
    expect(requestsOf('PATCH /sharing')).toMatchObject([{ body: { linksAllowed: false } }])
  })

  it('is readable by others, who see which role may change it', async () => {
    signIn('editor')
    onRequest('GET /sharing', { linksAllowed: false, activeLinks: 0 })
    const user = openPage(inSupport('settings/general'))
    const description = 'Changing this setting requires the role admin; yours is editor.'
    await user.click(await screen.findByRole('checkbox', { name: 'Allow shared links', description }))
    expect(requestsOf('PATCH /sharing')).toEqual([])
  })
})
