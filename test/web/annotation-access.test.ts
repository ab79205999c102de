import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import type { Me } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ANNOTATE, ANNOTATE_PAGE, NEXT, RUN, serveQueue, traceOf } from './mock-queue.ts'
import { ASSISTANT, eventually, heading, idOf, inSupport, openPage, reloadPage, signIn } from './open-page.ts'
import { summaryOf } from './run-examples.ts'

const question = (number: number) => screen.findByText(`Question ${number}`)

describe('access to the annotation page', () => {
  it('says that others’ ratings are hidden, and what the rules are; editors change them', async () => {
    signIn('editor')
    serveQueue(2, { blind: true })
    const policy = '/components/{componentId}/runs/{runId}/annotation-policy'
    onRequest(`GET ${policy}`, { ratersPerItem: 2, blind: true, ratings: null })
    onRequest(`PUT ${policy}`, ({ body }) => body as object)
    onRequest('GET /rating-scheme', {
      ratings: ['wrong', 'right'].map((value, score) => ({ value, score, label: null, color: null, key: null })),
      ordered: false,
    })
    const user = openPage(ANNOTATE_PAGE)
    await question(1)
    expect(screen.getByText('Blind: ratings of others are hidden')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Rules of this run' }))
    expect(await screen.findByText('Each trace is rated by 2 people.')).toBeTruthy()
    await user.click(screen.getByRole('menuitem', { name: 'Change the rules…' }))
    const dialog = await screen.findByRole('dialog', { name: 'How this run is rated' })
    await user.clear(within(dialog).getByRole('spinbutton'))
    await user.click(within(dialog).getByRole('checkbox', { name: /^Blind/ }))
    await user.click(await within(dialog).findByRole('checkbox', { name: 'wrong' }))
    await user.click(within(dialog).getByRole('button', { name: 'Save' }))
    await eventually(() => expect(screen.queryByRole('dialog')).toBeNull())
    const saved = requestsOf(`PUT ${policy}`).map(({ body }) => body)
    expect(saved).toEqual([{ ratersPerItem: null, blind: false, ratings: ['right'] }])
  })

  it('an expired session asks for the password, and then sends the ratings and the typed text', async () => {
    signIn('annotator')
    const queue = serveQueue(3)
    const user = openPage(ANNOTATE_PAGE)
    await question(1)
    onRequest(ANNOTATE, failed(401, 'Sign in first'))
    onRequest('GET /api/auth/get-session', null)
    await user.keyboard('2')
    await screen.findByRole('dialog', { name: 'Your session has ended' })
    onRequest(ANNOTATE, queue.annotate)
    signIn('annotator')
    onRequest('POST /api/auth/sign-in/email', {})
    await user.type(screen.getByLabelText('Password'), 'correct horse')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await question(2)
    await screen.findByText('Saved')
    expect(queue.saved.get(traceOf(1))?.rating).toBe('right')
  })

  it('a tab of a former account sends nothing with the session of another one, and the former account sends it later', async () => {
    signIn('annotator')
    const queue = serveQueue(3)
    const user = openPage(ANNOTATE_PAGE)
    await question(1)
    // In another tab, Ada has signed out and Ben has signed in.
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
    onRequest('GET /api/auth/get-session', { user: { id: idOf(9), name: 'Ben', email: 'ben@example.com' } })
    await user.keyboard('2')
    await eventually(() => expect(reload).toHaveBeenCalled())
    expect(requestsOf(ANNOTATE)).toEqual([])
    onRequest('GET /me', { ...exampleOf<Me>('Me'), userId: idOf(9), email: 'ben@example.com', role: 'annotator' })
    reloadPage()
    // The address has the next trace.
    await question(2)
    expect(queue.saved.size).toBe(0)
    signIn('annotator')
    reloadPage()
    await eventually(() => expect(queue.saved.get(traceOf(1))?.rating).toBe('right'))
    expect(queue.saved.size).toBe(1)
  })

  it('a queue that needs a session asks for the password, and is there afterwards', async () => {
    signIn('annotator')
    onRequest(NEXT, () => {
      onRequest('GET /api/auth/get-session', null)
      onRequest('GET /me', failed(401, 'Sign in first'))
      return failed(401, 'Sign in first')
    })
    onRequest('GET /components/{componentId}/runs/{runId}', RUN)
    const user = openPage(ANNOTATE_PAGE)
    await screen.findByRole('dialog', { name: 'Your session has ended' })
    signIn('annotator')
    serveQueue(2)
    onRequest('POST /api/auth/sign-in/email', {})
    await user.type(screen.getByLabelText('Password'), 'correct horse')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await question(1)
  })

  it('viewers read why they cannot rate, and nothing is reserved for them', async () => {
    signIn('viewer')
    serveQueue(2)
    openPage(ANNOTATE_PAGE)
    await screen.findByText(/Rating traces requires the role annotator; yours is viewer\./)
    expect(requestsOf(NEXT)).toEqual([])
  })

  it('a run that does not exist is not found', async () => {
    signIn('annotator')
    onRequest('GET /components/{componentId}/runs/{runId}', failed(404, 'Run not found'))
    openPage(ANNOTATE_PAGE)
    await heading('Nothing is here')
  })

  it('the list of runs links here', async () => {
    signIn('annotator')
    serveQueue(2)
    onRequest('GET /components/{componentId}', ASSISTANT)
    const summary = summaryOf(7, { id: RUN.id })
    onRequest('GET /components/{componentId}/run-summaries', { data: [summary], nextCursor: null })
    const user = openPage(inSupport(`c/${ASSISTANT.id}?tab=runs`))
    await user.click(await screen.findByRole('link', { name: 'Prompt v7' }))
    await user.click(await screen.findByRole('link', { name: 'Annotate' }))
    await question(1)
  })
})
