import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ANNOTATE, ANNOTATE_PAGE, NEXT, RUN, serveQueue, traceOf } from './mock-queue.ts'
import { ASSISTANT, address, eventually, heading, inSupport, openPage, signIn } from './open-page.ts'

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

  it('an expired session leads to the sign-in page and back, and what was rated is sent then', async () => {
    signIn('annotator')
    const queue = serveQueue(3)
    const user = openPage(ANNOTATE_PAGE)
    await question(1)
    onRequest(ANNOTATE, failed(401, 'Sign in first'))
    onRequest('GET /api/auth/get-session', null)
    await user.keyboard('2')
    await heading('Sign in')
    expect(address()).toMatch(new RegExp(`^/sign-in\\?next=.*${RUN.id}`))
    onRequest(ANNOTATE, queue.annotate)
    signIn('annotator')
    onRequest('POST /api/auth/sign-in/email', {})
    await user.type(screen.getByRole('textbox', { name: 'E-mail' }), 'ada@example.com')
    await user.type(screen.getByLabelText('Password'), 'correct horse')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await question(2)
    await screen.findByText('Saved')
    expect(queue.saved.get(traceOf(1))?.rating).toBe('right')
  })

  it('a queue that needs a session leads to the sign-in page', async () => {
    signIn('annotator')
    serveQueue(2)
    onRequest(NEXT, () => {
      onRequest('GET /api/auth/get-session', null)
      onRequest('GET /me', failed(401, 'Sign in first'))
      return failed(401, 'Sign in first')
    })
    openPage(ANNOTATE_PAGE)
    await heading('Sign in')
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

  it('the list of runs leads here', async () => {
    signIn('annotator')
    serveQueue(2)
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest('GET /components/{componentId}/runs', { data: [{ ...RUN, traceCount: 2 }] })
    const user = openPage(inSupport(`c/${ASSISTANT.id}?tab=runs`))
    await user.click(await screen.findByRole('link', { name: 'Annotate Prompt v7' }))
    await question(1)
  })
})
