// @module-tag deep
import { fireEvent, screen } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { failed, networkFailure, onRequest, requestsOf } from './mock-api.ts'
import {
  ANNOTATE,
  ANNOTATE_PAGE,
  CORRECT,
  itemOf,
  MINE,
  NEXT,
  RELEASE,
  SKIP,
  serveQueue,
  traceOf,
  UNDO,
} from './mock-queue.ts'
import { ASSISTANT, address, eventually, heading, openPage, reloadPage, signIn } from './open-page.ts'

const LEASED = { leaseUntil: '2099-01-01T00:00:00.000Z' }

function openQueue(total: number, options?: Parameters<typeof serveQueue>[1]) {
  signIn('annotator')
  const queue = serveQueue(total, options)
  return { queue, user: openPage(ANNOTATE_PAGE) }
}

const question = (number: number) => screen.findByText(`Question ${number}`)
const comment = () => screen.getByRole('textbox', { name: 'Comment' })
const ratingsSent = () => requestsOf(ANNOTATE).map(({ body }) => body)
const allSaved = () => screen.findByText('Saved')

describe('annotation page', () => {
  it('one key rates a trace and shows the next one, without waiting for the server', async () => {
    const { user } = openQueue(3)
    await question(1)
    onRequest(ANNOTATE, () => new Promise(() => undefined))
    await user.keyboard('2')
    expect(screen.getByText('Question 2')).toBeTruthy()
    await user.keyboard('1')
    expect(screen.getByText('Question 3')).toBeTruthy()
    expect(screen.getByText('Saving…')).toBeTruthy()
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('2')
  })

  it('every rating is sent once, with a key against repetition; then all is rated', async () => {
    const { user, queue } = openQueue(3)
    await question(1)
    await user.keyboard('212')
    await heading('All rated')
    expect([...queue.saved.values()].map(({ rating }) => rating)).toEqual(['right', 'wrong', 'right'])
    expect(new Set(requestsOf(ANNOTATE).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3)
    expect(screen.getByText('You have rated all 3 traces of this run.')).toBeTruthy()
  })

  it('offers the most informative traces first if the user asks, and says that such ratings do not correct the judge', async () => {
    const policy = { ratersPerItem: null, blind: false, ratings: null }
    onRequest('GET /components/{componentId}/runs/{runId}/annotation-policy', policy)
    const { user } = openQueue(3)
    await question(1)
    expect(requestsOf(NEXT).map(({ query }) => query['order'])).toEqual([undefined])
    await user.click(screen.getByRole('button', { name: 'Rules of this run' }))
    const choice = await screen.findByRole('menuitem', { name: /^Offer the most informative traces first/ })
    expect(choice.textContent).toContain('Ratings that are chosen this way do not correct the judge.')
    await user.click(choice)
    await eventually(() => expect(requestsOf(NEXT).at(-1)?.query['order']).toBe('information'))
    await question(1)
    expect(address()).toContain('order=information')
  })

  it('a click rates, too, and a key that is held down rates once', async () => {
    const { user } = openQueue(4)
    await question(1)
    await user.click(screen.getByRole('button', { name: /^Right/ }))
    await question(2)
    for (const repeat of [false, true, true]) fireEvent.keyDown(document.body, { key: '1', code: 'Digit1', repeat })
    await question(3)
    await allSaved()
    expect(ratingsSent()).toHaveLength(2)
  })

  it('the keys with the digits rate on a French keyboard, too, and each press rates once', async () => {
    openQueue(4)
    await question(1)
    fireEvent.keyDown(document.body, { key: '&', code: 'Digit1' })
    await question(2)
    fireEvent.keyDown(document.body, { key: '2', code: 'Digit2' })
    await question(3)
    fireEvent.keyDown(document.body, { key: '1', code: 'Numpad1' })
    await question(4)
    await allSaved()
    expect(ratingsSent().map((body) => (body as { rating: string }).rating)).toEqual(['wrong', 'right', 'wrong'])
  })

  it('fetches in advance, and never requests more than ten traces', async () => {
    const { user } = openQueue(30)
    await question(1)
    for (let number = 1; number <= 20; number += 1) {
      await user.keyboard('2')
      await question(number + 1)
    }
    await allSaved()
    const limits = requestsOf(NEXT).map(({ body }) => (body as { limit: number }).limit)
    expect(Math.max(...limits)).toBeLessThanOrEqual(10)
    expect(new Set(ratingsSent().map((body) => (body as { traceDbId: string }).traceDbId)).size).toBe(20)
  })

  it('a comment is typed without rating, saved with the rating, and never lost in a reload', async () => {
    const { user, queue } = openQueue(2)
    await question(1)
    await user.keyboard('c')
    expect(document.activeElement).toBe(comment())
    await user.keyboard('12 of 2')
    expect(JSON.stringify({ ...localStorage })).toContain('12 of 2')
    const again = reloadPage()
    await question(1)
    expect(comment()).toHaveProperty('value', '12 of 2')
    await again.keyboard('c3{Escape}2')
    await question(2)
    await allSaved()
    expect(queue.saved.get(traceOf(1))).toMatchObject({ rating: 'right', comment: '12 of 23' })
    expect(comment()).toHaveProperty('value', '')
    expect(Object.keys(localStorage).filter((key) => key.startsWith('touchstone.'))).toEqual([])
  })

  it('a comment without a rating is saved when the user continues', async () => {
    const { user, queue } = openQueue(3)
    await question(1)
    await user.keyboard('cunsure{Escape}{ArrowRight}')
    await question(2)
    await allSaved()
    expect(ratingsSent()).toEqual([{ traceDbId: traceOf(1), comment: 'unsure' }])
    // It is still to be rated.
    await user.keyboard('22')
    await question(1)
    await user.keyboard('1')
    await heading('All rated')
    expect(queue.saved.get(traceOf(1))).toMatchObject({ rating: 'wrong', comment: 'unsure' })
  })

  it('an outage loses nothing: ratings are sent when the server is back, also after a reload', async () => {
    const { user, queue } = openQueue(4)
    await question(1)
    onRequest(ANNOTATE, networkFailure)
    await user.keyboard('2')
    await user.keyboard('c')
    await user.keyboard('too short{Escape}1')
    await screen.findByText(/Offline, will be saved later · 2 kept on this device/)
    const keys = requestsOf(ANNOTATE).map(({ idempotencyKey }) => idempotencyKey)
    onRequest(ANNOTATE, queue.annotate)
    reloadPage()
    await question(3)
    await allSaved()
    expect(queue.saved.get(traceOf(1))?.rating).toBe('right')
    expect(queue.saved.get(traceOf(2))).toMatchObject({ rating: 'wrong', comment: 'too short' })
    expect(requestsOf(ANNOTATE).at(-2)?.idempotencyKey).toBe(keys[0])
  })

  it('an outage of ten seconds loses nothing: all that was rated and written meanwhile is sent, each once and in order', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { queue } = openQueue(8)
    await eventually(() => screen.getByText('Question 1'))
    const down = () => networkFailure()
    for (const name of [ANNOTATE, NEXT, 'GET /api/auth/get-session']) onRequest(name, down)
    const press = (key: string) => fireEvent.keyDown(document.body, { key, code: `Digit${key}` })
    const rated: (string | null)[] = []
    for (let second = 1; second <= 5; second += 1) {
      if (second === 3) fireEvent.change(comment(), { target: { value: 'Not what was asked' } })
      press(second % 2 === 0 ? '1' : '2')
      rated.push(second % 2 === 0 ? 'wrong' : 'right')
      // Five traces are fetched ahead.
      if (second < 5) await eventually(() => screen.getByText(`Question ${second + 1}`))
      await vi.advanceTimersByTimeAsync(2_000)
    }
    expect(screen.getByText(/offline/i)).toBeTruthy()
    expect(queue.saved.size).toBe(0)
    const restored = serveQueue(8)
    signIn('annotator')
    await vi.advanceTimersByTimeAsync(15_000)
    await eventually(() => expect(restored.saved.size).toBe(5))
    expect([...restored.saved].map(([id, { rating }]) => [id, rating])).toEqual(
      rated.map((rating, index) => [traceOf(index + 1), rating]),
    )
    expect(restored.saved.get(traceOf(3))?.comment).toBe('Not what was asked')
    await eventually(() => screen.getByText('Saved'))
  })

  it('a rejected rating is shown again with the message and its comment, after the current trace', async () => {
    const { user, queue } = openQueue(3)
    await question(1)
    onRequest(ANNOTATE, failed(400, 'The rating must be one of wrong, right'))
    await user.keyboard('cbecause{Escape}2')
    await screen.findByText('A rating was not saved')
    expect(screen.getByText('Question 2')).toBeTruthy()
    onRequest(ANNOTATE, queue.annotate)
    await user.keyboard('1')
    await question(1)
    expect(screen.getByText('Not saved: The rating must be one of wrong, right')).toBeTruthy()
    expect(comment()).toHaveProperty('value', 'because')
    await user.keyboard('1')
    await question(3)
    await allSaved()
    expect(queue.saved.get(traceOf(1))).toMatchObject({ rating: 'wrong', comment: 'because' })
    expect(screen.queryByText('A rating was not saved')).toBeNull()
  })

  it('a trace with enough raters says so, and the others continue', async () => {
    const { user, queue } = openQueue(3, LEASED)
    await question(1)
    onRequest(ANNOTATE, ({ body }) => {
      if ((body as { traceDbId: string }).traceDbId === traceOf(1))
        return failed(409, 'This trace already has the maximum of 2 raters')
      return queue.annotate({ body })
    })
    await user.keyboard('22')
    await screen.findByText('“Question 1”: This trace already has the maximum of 2 raters')
    await question(3)
    await eventually(() => expect(queue.saved.get(traceOf(2))?.rating).toBe('right'))
    await user.click(screen.getByRole('button', { name: 'Dismiss' }))
    expect(screen.queryByText(/maximum of 2 raters/)).toBeNull()
  })

  it('u takes back a saved rating and shows its trace with the comment', async () => {
    const { user, queue } = openQueue(3)
    await question(1)
    await user.keyboard('cfine{Escape}2')
    await allSaved()
    await user.keyboard('u')
    await question(1)
    expect(comment()).toHaveProperty('value', 'fine')
    await eventually(() => expect(requestsOf(UNDO)).toHaveLength(1))
    await eventually(() => expect(queue.saved.size).toBe(0))
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('0')
    await user.keyboard('1')
    await question(2)
    await allSaved()
    expect(queue.saved.get(traceOf(1))).toMatchObject({ rating: 'wrong', comment: 'fine' })
  })

  it('u takes back an unsent rating without a request', async () => {
    const { user, queue } = openQueue(3)
    await question(1)
    onRequest(ANNOTATE, networkFailure)
    await user.keyboard('22')
    await screen.findByText(/2 kept on this device/)
    await user.keyboard('u')
    await question(2)
    await screen.findByText(/1 kept on this device/)
    onRequest(ANNOTATE, queue.annotate)
    window.dispatchEvent(new Event('online'))
    await allSaved()
    expect(requestsOf(UNDO)).toEqual([])
    expect([...queue.saved.keys()]).toEqual([traceOf(1)])
  })

  it('after a reload, u takes back the newest stored rating', async () => {
    const { user } = openQueue(3)
    await question(1)
    await user.keyboard('2')
    await allSaved()
    const again = reloadPage()
    await question(2)
    await again.keyboard('u')
    await question(1)
  })

  it('a better answer is saved with the rating, and undone with it', async () => {
    const { user, queue } = openQueue(2)
    await question(1)
    await user.keyboard('w')
    const field = screen.getByRole('textbox', { name: 'A better answer' })
    expect(document.activeElement).toBe(field)
    expect(field).toHaveProperty('value', 'Answer 1')
    await user.keyboard(', really{Escape}1')
    await question(2)
    await allSaved()
    expect(requestsOf(CORRECT).map(({ body }) => body)).toEqual([{ correctedOutput: 'Answer 1, really' }])
    await user.keyboard('u')
    await question(1)
    await eventually(() => expect(requestsOf(UNDO)).toHaveLength(2))
    expect(queue.saved.size).toBe(0)
    expect(screen.getByRole('textbox', { name: 'A better answer' })).toHaveProperty('value', 'Answer 1, really')
  })

  it('the expected answer is hidden until the user opens it, or has rated', async () => {
    const { user } = openQueue(2)
    await question(1)
    expect(screen.queryByText('Expected 1')).toBeNull()
    await user.keyboard('x')
    expect(await screen.findByText('Expected 1')).toBeTruthy()
    await user.keyboard('2')
    await question(2)
    expect(screen.queryByText(/^Expected \d/)).toBeNull()
    await user.keyboard('{ArrowLeft}')
    await question(1)
    expect(await screen.findByText('Expected 1')).toBeTruthy()
    expect(screen.getByRole('button', { name: /^Right/, pressed: true })).toBeTruthy()
  })

  it('a skipped trace comes last', async () => {
    const { user } = openQueue(3)
    await question(1)
    await user.keyboard('s')
    await question(2)
    await user.keyboard('22')
    await question(1)
    expect(requestsOf(SKIP).map(({ body }) => body)).toEqual([{ traceIds: [traceOf(1)] }])
    await user.keyboard('2')
    await heading('All rated')
  })

  it('leaving releases reserved traces without a rating', async () => {
    const { user } = openQueue(3, LEASED)
    onRequest('GET /components/{componentId}', ASSISTANT)
    await question(1)
    await user.keyboard('2')
    await allSaved()
    await user.keyboard('{Escape}')
    await heading('assistant')
    const released = () => requestsOf(RELEASE).map(({ body }) => body)
    await eventually(() => expect(released()).toEqual([{ traceIds: [traceOf(2), traceOf(3)] }]))
  })

  it('the address names the trace, and a reload shows it again', async () => {
    const { user } = openQueue(5)
    await question(1)
    await user.keyboard('{ArrowRight}{ArrowRight}')
    await question(3)
    await eventually(() => expect(address()).toBe(`${ANNOTATE_PAGE}?item=${traceOf(3)}`))
    reloadPage()
    await question(3)
    expect(screen.queryByText('Question 1')).toBeNull()
  })

  it('ratings of earlier visits can be reached and changed', async () => {
    signIn('annotator')
    const queue = serveQueue(3)
    queue.annotate({ body: { traceDbId: traceOf(1), rating: 'right' } })
    const { leaseUntil: _, comment: _comment, ...trace } = itemOf(1)
    onRequest(MINE, {
      data: [
        {
          id: traceOf(9),
          traceDbId: traceOf(1),
          userId: traceOf(8),
          rating: 'right',
          comment: 'good',
          createdAt: '2026-11-16T09:00:00.000Z',
          trace,
        },
      ],
    })
    const user = openPage(ANNOTATE_PAGE)
    await question(2)
    await user.keyboard('{ArrowLeft}')
    await question(1)
    expect(comment()).toHaveProperty('value', 'good')
    await user.keyboard('1')
    await question(2)
    await allSaved()
    expect(ratingsSent()).toEqual([{ traceDbId: traceOf(1), rating: 'wrong' }])
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('1')
  })

  it('a queue that cannot be loaded shows the reason, and appears after trying again', async () => {
    signIn('annotator')
    serveQueue(2)
    onRequest(NEXT, failed(503, 'The server is busy.'))
    const user = openPage(ANNOTATE_PAGE)
    await screen.findByText('The server is busy.')
    expect(screen.getByText('req-1')).toBeTruthy()
    serveQueue(2)
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await question(1)
  })

  it('a reservation that expired while the user was away says so, and the next trace is shown', async () => {
    const { queue } = openQueue(3, LEASED)
    await question(1)
    queue.takeAway(traceOf(1))
    const now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now + 11 * 60_000)
    document.dispatchEvent(new Event('visibilitychange'))
    await screen.findByText('Your reservation of a trace expired, and another annotator has it now.')
    await question(2)
  })
})
