/**
 * The answers of a playground, and the calls that write them. A few run at a time, the others are queued. Finished answers stay as long as
 * the tab does, because they were paid for: opening a trace and coming back must not lose them. Leaving the page stops the calls.
 */
import { ApiError } from '../../api/api-error.ts'
import type { TryEnd, TryToolCall } from '../../api/generated/api.ts'
import type { PromptKey } from '../../api/prompts-query.ts'
import { type TryBody, type TryEvent, tryPrompt } from '../../api/try-prompt.ts'

/** Each is an open request: a browser has six for a server. */
const STREAMS_MAX = 4

/** After that, a cell that is rejected for a while waits for the user. */
const ATTEMPTS_MAX = 3

export interface AnsweredCall extends TryToolCall {
  by: 'recorded' | 'you' | undefined
}

/** One call of the model, and the tools that it called. */
interface Step {
  text: string
  toolCalls: AnsweredCall[]
}

export interface Cell {
  state: 'queued' | 'waiting' | 'writing' | 'ended' | 'rejected' | 'stopped'
  /** Of all that was sent: an answer to something else is marked as such. */
  fingerprint: string
  body: TryBody
  attempts: number
  startedAt: number | undefined
  /** Why it has not begun yet. */
  waitsFor: string | undefined
  steps: Step[]
  end: TryEnd | undefined
  /** Those before tools were answered by hand. */
  earlier: TryEnd[]
  /** Why nothing was sent, or why the answer is not whole. */
  error: unknown
  /** When it is tried again by itself. */
  retryAt: number | undefined
}

export interface NewTry {
  id: string
  body: TryBody
  fingerprint: string
}

export type Tries = ReturnType<typeof createTries>

const known = new WeakMap<object, Map<string, Tries>>()

/** The same for each visit of a page. They are gone with the data of the application, which is that of one user. */
export function triesOf(application: object, key: PromptKey): Tries {
  const ofApplication = known.get(application) ?? new Map<string, Tries>()
  known.set(application, ofApplication)
  const name = JSON.stringify(key)
  const tries = ofApplication.get(name) ?? createTries(key)
  ofApplication.set(name, tries)
  return tries
}

function createTries(key: PromptKey) {
  let cells: ReadonlyMap<string, Cell> = new Map()
  const listeners = new Set<() => void>()
  const running = new Map<string, AbortController>()
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  /** What a queued cell showed before: it is there again if nothing was sent. */
  const before = new Map<string, Cell | undefined>()

  function put(id: string, cell: Cell | undefined): void {
    const next = new Map(cells)
    if (cell) next.set(id, cell)
    else next.delete(id)
    cells = next
    for (const listener of listeners) listener()
  }

  function change(id: string, changes: Partial<Cell>): void {
    const cell = cells.get(id)
    if (cell) put(id, { ...cell, ...changes })
  }

  function enqueue(id: string, cell: Cell): void {
    stop(id)
    before.set(id, cells.get(id))
    put(id, cell)
    startNext()
  }

  function startNext(): void {
    for (const [id, { state }] of cells) {
      if (running.size >= STREAMS_MAX) return
      if (state === 'queued') void run(id)
    }
  }

  async function run(id: string): Promise<void> {
    const cell = cells.get(id)
    if (!cell) return
    before.delete(id)
    const controller = new AbortController()
    running.set(id, controller)
    change(id, { state: 'waiting', startedAt: Date.now() })
    const { signal } = controller
    // Of calls that came before, which were continued.
    const offset = cell.steps.length
    const onEvent = (event: TryEvent) => {
      const current = cells.get(id)
      if (current && !signal.aborted) put(id, withEvent(current, event, offset))
    }
    try {
      await tryPrompt(key, cell.body, { signal, onEvent })
      if (!signal.aborted && cells.get(id)?.state !== 'ended') change(id, { state: 'rejected', error: CUT_STREAM })
    } catch (error) {
      if (!signal.aborted) change(id, { state: 'rejected', error })
    } finally {
      if (running.get(id) === controller) {
        running.delete(id)
        planRetry(id)
      }
      startNext()
    }
  }

  function planRetry(id: string): void {
    const cell = cells.get(id)
    const seconds = cell && retrySeconds(cell)
    if (!cell || seconds === undefined || cell.attempts >= ATTEMPTS_MAX) return
    change(id, { retryAt: Date.now() + seconds * 1_000 })
    timers.set(
      id,
      setTimeout(() => retry(id), seconds * 1_000),
    )
  }

  /** Sends the same again. */
  function retry(id: string): void {
    const cell = cells.get(id)
    if (!cell) return
    const { steps, earlier, attempts } = cell
    enqueue(id, { ...newCell(cell), attempts: attempts + 1, earlier, steps: steps.slice(0, stepsOf(earlier)) })
  }

  function start(tries: readonly NewTry[]): void {
    for (const { id, ...sent } of tries) enqueue(id, newCell(sent))
  }

  /** Continues with what the user says in place of the tools. */
  function answerTools(id: string, answers: ReadonlyMap<string, string>): void {
    const cell = cells.get(id)
    if (!cell?.end?.conversation) return
    const { end, body, earlier } = cell
    const toolAnswers = [...answers].map(([toolCallId, content]) => ({ toolCallId, content }))
    const steps = cell.steps.map((step) => ({
      ...step,
      toolCalls: step.toolCalls.map((call): AnsweredCall => {
        const answer = answers.get(call.toolCall.id)
        return answer === undefined || call.answer !== null ? call : { ...call, answer, by: 'you' }
      }),
    }))
    const continued = { ...body, continue: { conversation: cell.end.conversation, toolAnswers } }
    enqueue(id, { ...newCell({ ...cell, body: continued }), steps, earlier: [...earlier, end] })
  }

  function stop(id: string): void {
    const cell = cells.get(id)
    clearTimeout(timers.get(id))
    timers.delete(id)
    running.get(id)?.abort()
    running.delete(id)
    if (!cell) return
    if (cell.state === 'queued') {
      put(id, before.get(id))
      before.delete(id)
    } else if (isBusy(cell)) change(id, { state: 'stopped' })
    else if (cell.retryAt !== undefined) change(id, { retryAt: undefined })
  }

  /** Those that are queued first, so that none of them begins in the place of another. */
  function stopAll(): void {
    const ids = [...cells].sort(([, a], [, b]) => Number(b.state === 'queued') - Number(a.state === 'queued'))
    for (const [id] of ids) stop(id)
  }

  return {
    start,
    retry,
    answerTools,
    stop: (id: string) => {
      stop(id)
      startNext()
    },
    stopAll,
    /** Removes the answers of a row or a column that is gone. */
    forget(isGone: (id: string) => boolean): void {
      for (const id of [...cells.keys()].filter(isGone)) {
        stop(id)
        put(id, undefined)
      }
      startNext()
    },
    read: () => cells,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const CUT_STREAM = new ApiError('The stream ended before the answer did. Try again.', { status: 0 })

export function isBusy(cell: Cell | undefined): boolean {
  return cell?.state === 'queued' || cell?.state === 'waiting' || cell?.state === 'writing'
}

/** Those of a cell whose answer is a failure: nothing was written, or not to its end. */
export function isFailed(cell: Cell | undefined): boolean {
  return cell?.state === 'rejected' || cell?.state === 'stopped' || cell?.end?.reason === 'failed'
}

function newCell({ body, fingerprint }: Pick<Cell, 'body' | 'fingerprint'>): Cell {
  return {
    state: 'queued',
    fingerprint,
    body,
    attempts: 1,
    startedAt: undefined,
    waitsFor: undefined,
    steps: [],
    end: undefined,
    earlier: [],
    error: undefined,
    retryAt: undefined,
  }
}

function withEvent(cell: Cell, event: TryEvent, offset: number): Cell {
  switch (event.name) {
    case 'start':
      return cell
    case 'waiting':
      return { ...cell, waitsFor: event.data.summary }
    case 'text':
      return withStep(cell, offset + event.data.call, (step) => ({ ...step, text: step.text + event.data.text }))
    case 'toolCall': {
      const call: AnsweredCall = { ...event.data, by: event.data.answer === null ? undefined : 'recorded' }
      return withStep(cell, offset + event.data.call, (step) => ({ ...step, toolCalls: [...step.toolCalls, call] }))
    }
    case 'end':
      return { ...cell, state: 'ended', end: event.data, waitsFor: undefined }
  }
}

/** Calls count from 1. */
function withStep(cell: Cell, call: number, change: (step: Step) => Step): Cell {
  const empty = { text: '', toolCalls: [] }
  const steps = Array.from({ length: Math.max(call, cell.steps.length) }, (_, index) => cell.steps[index] ?? empty)
  return {
    ...cell,
    state: 'writing',
    waitsFor: undefined,
    steps: steps.with(call - 1, change(steps[call - 1] ?? empty)),
  }
}

function stepsOf(ends: readonly TryEnd[]): number {
  return ends.reduce((sum, { calls }) => sum + calls, 0)
}

/** Undefined if the same try would fail again, or if no one says when. */
function retrySeconds({ end, error }: Cell): number | undefined {
  if (end) return end.isTransient ? (end.retryAfterSeconds ?? undefined) : undefined
  return error instanceof ApiError ? error.retryAfterSeconds : undefined
}
