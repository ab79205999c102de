import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Work, WorkRun } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ANNOTATE_PAGE, RUN, serveQueue } from './mock-queue.ts'
import { ASSISTANT, address, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport('work')

const BEGUN: WorkRun = {
  ...exampleOf<WorkRun>('WorkRun'),
  componentId: ASSISTANT.id,
  componentName: 'assistant',
  datasetName: 'Golden',
  runId: RUN.id,
  runName: 'Prompt v7',
  reason: 'started',
  total: 20,
  rated: 8,
  remaining: 12,
  disagreements: 3,
}
const UNNAMED: WorkRun = {
  ...BEGUN,
  runId: idOf(61),
  runName: null,
  runCreatedAt: '2026-11-14T10:00:00.000Z',
  reason: 'disagreements',
  rated: 20,
  remaining: 0,
  disagreements: 2,
}
const WORK: Work = { remaining: 12, disagreements: 5, hasMore: false, data: [BEGUN, UNNAMED] }

describe('my work', () => {
  it('lists the work of the user, most urgent first, with links', async () => {
    signIn('annotator')
    serveQueue(2)
    onRequest('GET /me/work', WORK)
    const user = openPage(PAGE)
    await screen.findByText('12 traces to rate, 5 disagreements')
    const rows = within(screen.getByRole('list', { name: 'Runs' })).getAllByRole('listitem')
    expect(rows[0]?.textContent).toContain('Rate 12 answers of Prompt v7')
    expect(rows[0]?.textContent).toContain('Ratings differ on 3 traces')
    // A run without a name is recognized by its dataset and its time.
    expect(rows[1]?.textContent).toMatch(/Discuss Golden, 14 Nov/)
    await user.click(screen.getByRole('link', { name: 'Annotate Prompt v7' }))
    await screen.findByText('Question 1')
    expect(address()).toMatch(ANNOTATE_PAGE)
  })

  it('g w opens it from elsewhere, and the navigation shows the remaining count', async () => {
    signIn('annotator')
    onRequest('GET /me/work', WORK)
    onRequest('GET /components', { data: [ASSISTANT] })
    const user = openPage(inSupport('components'))
    await screen.findByRole('link', { name: 'My work 12 to rate' })
    await user.keyboard('gw')
    await heading('My work')
    expect(address()).toBe(PAGE)
  })

  it('explains what to do without work', async () => {
    signIn('annotator')
    onRequest('GET /me/work', { remaining: 0, disagreements: 0, hasMore: false, data: [] })
    openPage(PAGE)
    await heading('Nothing waits for you')
    expect(screen.getByRole('link', { name: 'My work' })).toBeTruthy()
    const next = screen.getByRole('link', { name: 'Open the components' })
    expect(next.getAttribute('href')).toBe(inSupport('components'))
  })

  it('shows why it cannot be loaded, and appears after trying again', async () => {
    signIn('annotator')
    onRequest('GET /me/work', failed(400, 'The server is confused.'))
    const user = openPage(PAGE)
    await screen.findByText('The server is confused.')
    onRequest('GET /me/work', WORK)
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByText('12 traces to rate, 5 disagreements')
  })

  it('viewers read why nothing is there, and nothing is counted for them', async () => {
    signIn('viewer')
    openPage(PAGE)
    await heading('Not for your role')
    expect(requestsOf('GET /me/work')).toEqual([])
  })
})
