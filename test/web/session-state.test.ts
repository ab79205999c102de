import { describe, expect, it } from 'vitest'
import type { QueueBatch } from '../../web/src/api/generated/api.ts'
import type { AnnotationItem } from '../../web/src/pages/annotate/annotation-items.ts'
import type { OutboxEntry } from '../../web/src/pages/annotate/outbox-contents.ts'
import {
  acceptBatch,
  confirmSaved,
  currentItem,
  EMPTY_SESSION,
  findItem,
  isAtEnd,
  progressOf,
  rejectedDraft,
  returnRejected,
  type SessionState,
  saveItem,
  showNext,
  showNextOpen,
  showPrevious,
  showUndone,
  showWanted,
  skipItem,
  undoAction,
  writeWords,
} from '../../web/src/pages/annotate/session-state.ts'
import { exampleOf } from './api-description.ts'
import { itemOf, RUN, traceOf } from './mock-queue.ts'
import { ASSISTANT, idOf } from './open-page.ts'

const LEASE = '2026-11-18T12:00:00.000Z'
const NOTHING = { rating: null, comment: null }

function batchOf(numbers: number[], changes: Partial<QueueBatch> = {}): QueueBatch {
  const items = numbers.map((number) => itemOf(number))
  return { ...exampleOf<QueueBatch>('QueueBatch'), items, rated: 0, remaining: 3, total: 3, ...changes }
}

interface Arrival {
  waiting?: OutboxEntry[]
  startedAt?: number
  isComplete?: boolean
}

function arrive(state: SessionState, batch: QueueBatch, { waiting = [], startedAt, isComplete = true }: Arrival = {}) {
  const request = { startedAt: startedAt ?? state.step, wasIdle: waiting.length === 0, isComplete }
  return acceptBatch(state, { batch, request, waiting, readDraft: () => ({}) })
}

/** A page with the traces 1 to 3, the first of them in view. */
const THREE = arrive(EMPTY_SESSION, batchOf([1, 2, 3]))

function current(state: SessionState): AnnotationItem {
  const item = currentItem(state)
  if (!item) throw new Error('No trace is in view')
  return item
}

const rate = (state: SessionState, rating = 'right') =>
  showNextOpen(saveItem(state, { entryId: `rate ${state.currentId}`, item: current(state), fields: { rating } }))

const skip = (state: SessionState) => showNextOpen(skipItem(state, `skip ${state.currentId}`, current(state)))

/** A rating that the server does not have yet. */
function waitingRating(number: number, comment?: string): OutboxEntry {
  const run = { applicationId: idOf(2), componentId: ASSISTANT.id, runId: RUN.id }
  const words = comment === undefined ? {} : { comment }
  const change = { kind: 'save' as const, traceDbId: traceOf(number), before: NOTHING, rating: 'right', ...words }
  return { id: `entry ${number}`, run, change }
}

const shownOf = (state: SessionState) => currentItem(state)?.traceId
const statusesOf = ({ items }: SessionState) => items.map(({ status }) => status)

describe('actions of the user', () => {
  it('a rating marks the trace, counts it, and shows the next one', () => {
    const state = rate(THREE)
    expect(findItem(state, traceOf(1))).toMatchObject({ status: 'rated', annotated: { rating: 'right' } })
    expect(progressOf(state)).toEqual({ rated: 1, left: 2, total: 3 })
    expect(shownOf(state)).toBe('trace-2')
  })

  it('a second rating of the same trace is not counted again', () => {
    const back = showPrevious(rate(THREE))
    expect(progressOf(rate(back, 'wrong'))).toEqual({ rated: 1, left: 2, total: 3 })
  })

  it('words alone are saved without rating the trace', () => {
    const written = writeWords(THREE, current(THREE), { comment: 'Odd' })
    const fields = { comment: 'Odd' }
    const state = saveItem(written, { entryId: 'words', item: current(written), fields })
    expect(current(state)).toMatchObject({ status: 'open', annotated: { rating: null, comment: 'Odd' }, draft: {} })
    expect(progressOf(state)?.rated).toBe(0)
  })

  it('after the last trace, no trace is in view; the one before it can be shown again', () => {
    const state = rate(rate(rate(THREE)))
    expect(isAtEnd(state)).toBe(true)
    expect(shownOf(showPrevious(state))).toBe('trace-3')
    expect(showPrevious(THREE).notice).toBe('This is the first trace.')
  })

  it('a skipped trace is passed over until nothing else is open', () => {
    const state = rate(rate(skip(THREE)))
    expect(statusesOf(state)).toEqual(['skipped', 'rated', 'rated'])
    expect(shownOf(arrive(state, batchOf([1])))).toBe('trace-1')
  })

  it('undo restores the trace with its words, its status and the count', () => {
    const written = writeWords(THREE, current(THREE), { comment: 'Odd' })
    const state = rate(written)
    const action = state.actions.at(-1)
    if (!action) throw new Error('Nothing to undo')
    const undone = undoAction(state, action)
    expect(current(undone)).toEqual(current(written))
    expect(undone.actions).toEqual([])
    expect(progressOf(undone)).toEqual(progressOf(THREE))
  })

  it('forward shows the next trace, rated or not', () => {
    const rated = rate(THREE)
    expect(shownOf(showNext(showPrevious(rated)))).toBe('trace-2')
  })

  it('a trace in the address is shown by either of its ids; else a notice says why not', () => {
    expect(shownOf(showWanted(THREE, 'trace-3'))).toBe('trace-3')
    expect(shownOf(showWanted(THREE, traceOf(2)))).toBe('trace-2')
    const missing = showWanted(THREE, 'unknown')
    expect([shownOf(missing), missing.notice]).toEqual(['trace-1', expect.stringContaining('cannot rate')])
  })
})

describe('responses of the server', () => {
  it('a batch that was requested before a rating opens nothing that was rated meanwhile', () => {
    const state = arrive(rate(THREE), batchOf([1, 2, 3]), { startedAt: THREE.step })
    expect(statusesOf(state)).toEqual(['rated', 'open', 'open'])
    expect(progressOf(state)).toEqual({ rated: 1, left: 2, total: 3 })
  })

  it('counts follow the server once it has all ratings', () => {
    const state = arrive(rate(THREE), batchOf([2, 3], { rated: 1, remaining: 2 }))
    expect(state.newlyRated).toBe(0)
    expect(progressOf(state)).toEqual({ rated: 1, left: 2, total: 3 })
  })

  it('ratings that wait in the browser are counted from the first response on', () => {
    const state = arrive(EMPTY_SESSION, batchOf([1, 2, 3]), { waiting: [waitingRating(1)] })
    expect(progressOf(state)).toEqual({ rated: 1, left: 2, total: 3 })
    expect(findItem(state, traceOf(1))).toBeUndefined()
  })

  it('a comment that waits in the browser is newer than that of the server', () => {
    const { id, run, change } = waitingRating(2, 'Newer')
    if (change.kind !== 'save') throw new Error('Not a saved change')
    const { rating: _, ...commentOnly } = change
    const state = arrive(EMPTY_SESSION, batchOf([1, 2]), { waiting: [{ id, run, change: commentOnly }] })
    expect(findItem(state, traceOf(2))?.annotated.comment).toBe('Newer')
  })

  it('a trace whose reservation expired is not rated any more, and a notice says so', () => {
    const reserved = batchOf([1, 2])
    const items = reserved.items.map((item) => ({ ...item, leaseUntil: LEASE }))
    const state = arrive(EMPTY_SESSION, { ...reserved, items })
    const [, second] = items
    const lost = arrive(state, { ...reserved, items: second ? [second] : [] })
    expect(statusesOf(lost)).toEqual(['gone', 'open'])
    expect([shownOf(lost), lost.notice]).toEqual(['trace-2', expect.stringContaining('expired')])
  })

  it('a response with fewer traces than are reserved takes none away', () => {
    const reserved = batchOf([1, 2])
    const items = reserved.items.map((item) => ({ ...item, leaseUntil: LEASE }))
    const state = arrive(EMPTY_SESSION, { ...reserved, items })
    expect(statusesOf(arrive(state, batchOf([2]), { isComplete: false }))).toEqual(['open', 'open'])
  })

  it('a saved annotation gives the trace its id', () => {
    expect(current(confirmSaved(THREE, { id: idOf(9), traceDbId: traceOf(1) })).annotationId).toBe(idOf(9))
  })

  it('an undo of an earlier visit shows the trace as it was, and counts it', () => {
    const rated = rate(THREE)
    const state = showUndone(rated, { traceDbId: traceOf(1), annotation: null })
    expect(current(state)).toMatchObject({ traceId: 'trace-1', status: 'open', annotated: NOTHING })
    expect(progressOf(state)?.rated).toBe(0)
    expect(showUndone(rated, { traceDbId: null, annotation: null }).notice).toBe('Nothing is left to undo.')
  })
})

describe('rejected changes', () => {
  const { change } = waitingRating(1, 'My reason')
  if (change.kind !== 'save') throw new Error('Not a saved change')

  it('the trace comes again after the one in view, with the message and the words', () => {
    const state = returnRejected(rate(THREE), change, { status: 400, message: 'Too long' })
    expect(shownOf(state)).toBe('trace-2')
    expect(shownOf(showNext(state))).toBe('trace-1')
    const again = findItem(state, traceOf(1))
    expect(again).toMatchObject({ status: 'open', rejection: 'Too long', draft: { comment: 'My reason' } })
    expect(state.actions).toEqual([])
    expect(progressOf(state)?.rated).toBe(0)
  })

  it('a trace that has all of its raters does not come again', () => {
    const state = returnRejected(rate(THREE), change, { status: 409, message: 'Full' })
    expect(statusesOf(state)).toEqual(['gone', 'open', 'open'])
  })

  it('at the end, the trace is shown at once', () => {
    const state = returnRejected(rate(rate(rate(THREE))), change, { status: 400, message: 'Too long' })
    expect(shownOf(state)).toBe('trace-1')
  })

  it('text that was typed since is newer than the sent text', () => {
    const back = showPrevious(rate(THREE))
    const written = writeWords(back, current(back), { comment: 'Better reason' })
    expect(rejectedDraft(written, change)).toEqual({ comment: 'Better reason' })
  })
})
