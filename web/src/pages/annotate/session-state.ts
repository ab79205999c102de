/** What the annotation page shows, and how each event changes it. Pure functions: the session and the queue feed send and store. */
import type { AnnotationWithTrace, QueueBatch, UndoneAnnotation } from '../../api/generated/api.ts'
import type { AnnotationChange } from './annotation-change.ts'
import type { Draft } from './annotation-drafts.ts'
import {
  type AnnotationItem,
  type ChangedFields,
  isOpen,
  mergeBatch,
  nextOpen,
  ratedItemOf,
  withoutLost,
  withSaved,
} from './annotation-items.ts'
import type { OutboxEntry } from './outbox-contents.ts'

export interface SessionState {
  items: readonly AnnotationItem[]
  /** Undefined before the first trace is there, and after the last one. */
  currentId: string | undefined
  /** The newest response of the queue. */
  batch: QueueBatch | undefined
  /** Ratings of the user that the counts of the newest response do not include. */
  newlyRated: number
  /** When each trace was last changed or confirmed, in steps: a response to an earlier request does not know of it. */
  changedAt: ReadonlyMap<string, number>
  step: number
  isFetching: boolean
  /** Why traces could not be fetched. */
  error: unknown
  /** What can be undone, the newest last. */
  actions: readonly Action[]
  /** What happened without the user; shown until the user goes on. */
  notice: string | undefined
}

export interface Action {
  kind: 'save' | 'skip'
  /** In the outbox. */
  entryId: string
  /** The state before. */
  item: AnnotationItem
  /** Undefined if only words were saved. */
  rating: string | undefined
}

type SavedChange = Extract<AnnotationChange, { kind: 'save' }>

export const EMPTY_SESSION: SessionState = {
  items: [],
  currentId: undefined,
  batch: undefined,
  newlyRated: 0,
  changedAt: new Map(),
  step: 0,
  isFetching: false,
  error: undefined,
  actions: [],
  notice: undefined,
}

export function currentItem({ items, currentId }: SessionState): AnnotationItem | undefined {
  return items.find(({ traceDbId }) => traceDbId === currentId)
}

export function findItem({ items }: SessionState, traceDbId: string): AnnotationItem | undefined {
  return items.find((item) => item.traceDbId === traceDbId)
}

/** By the id of the server or that of the sender: an address may have either. */
export function findByAnyId({ items }: SessionState, id: string): AnnotationItem | undefined {
  return items.find((item) => item.traceDbId === id || item.traceId === id)
}

/** The user has seen all traces. */
export function isAtEnd({ items, currentId }: SessionState): boolean {
  return currentId === undefined && items.length > 0
}

/** Undefined before the first response. */
export function progressOf({ batch, newlyRated }: SessionState) {
  if (!batch) return undefined
  const { rated, remaining, total } = batch
  return { rated: rated + newlyRated, left: Math.max(0, remaining - newlyRated), total }
}

/** The position of the current trace; -1 if there is none. */
export function positionOf({ items, currentId }: SessionState): number {
  return items.findIndex(({ traceDbId }) => traceDbId === currentId)
}

export function writeWords(state: SessionState, item: AnnotationItem, draft: Draft): SessionState {
  return replaceItem(state, { ...item, draft })
}

interface Saved {
  entryId: string
  item: AnnotationItem
  fields: ChangedFields
}

export function saveItem(state: SessionState, { entryId, item, fields }: Saved): SessionState {
  const saved = replaceItem(state, withSaved(item, fields))
  const isNew = fields.rating !== undefined && !item.annotated.rating
  const action = { kind: 'save' as const, entryId, item, rating: fields.rating }
  return countRating(recordAction(saved, action), isNew ? 1 : 0)
}

export function skipItem(state: SessionState, entryId: string, item: AnnotationItem): SessionState {
  const skipped = isOpen(item) ? replaceItem(state, { ...item, leaseUntil: null, status: 'skipped' }) : state
  return recordAction(skipped, { kind: 'skip', entryId, item, rating: undefined })
}

/** Shows the next trace that is to be rated. */
export function showNextOpen(state: SessionState): SessionState {
  return { ...state, currentId: nextOpen(state.items, state.currentId)?.traceDbId, notice: undefined }
}

/** Shows the trace after the current one, rated or not. */
export function showNext(state: SessionState): SessionState {
  const next = isAtEnd(state) ? undefined : state.items[positionOf(state) + 1]
  return next ? { ...state, currentId: next.traceDbId, notice: undefined } : showNextOpen(state)
}

export function showPrevious(state: SessionState): SessionState {
  const previous = state.items[(isAtEnd(state) ? state.items.length : positionOf(state)) - 1]
  if (!previous) return showNotice(state, 'This is the first trace.')
  return { ...state, currentId: previous.traceDbId, notice: undefined }
}

/** Shows the trace in the address, if the user can rate it. */
export function showWanted(state: SessionState, id: string): SessionState {
  const wanted = findByAnyId(state, id)
  if (!wanted) return showNotice(state, 'You cannot rate the trace in the address. This is the next one.')
  return { ...state, currentId: wanted.traceDbId }
}

export function showNotice(state: SessionState, notice: string): SessionState {
  return { ...state, notice }
}

/** The trace of the newest action is again as it was before. */
export function undoAction(state: SessionState, { item, rating }: Action): SessionState {
  const restored = replaceItem(noteChange(state, item.traceDbId), item)
  const undone = { ...restored, actions: state.actions.slice(0, -1), currentId: item.traceDbId, notice: undefined }
  return countRating(undone, rating !== undefined && !item.annotated.rating ? -1 : 0)
}

/** The server has undone a change of an earlier visit. A trace that is not on the page must be fetched. */
export function showUndone(state: SessionState, { traceDbId, annotation }: UndoneAnnotation): SessionState {
  if (traceDbId === null) return showNotice(state, 'Nothing is left to undo.')
  const noted = noteChange(state, traceDbId)
  const item = findItem(state, traceDbId)
  if (!item) return noted
  const annotated = { rating: annotation?.rating || null, comment: annotation?.comment || null }
  const status = annotated.rating ? ('rated' as const) : ('open' as const)
  const shown = { ...replaceItem(noted, { ...item, annotated, status }), currentId: traceDbId }
  return countRating(shown, Number(Boolean(annotated.rating)) - Number(Boolean(item.annotated.rating)))
}

export function confirmSaved(state: SessionState, { id, traceDbId }: { id: string; traceDbId: string }): SessionState {
  const noted = noteChange(state, traceDbId)
  const item = findItem(state, traceDbId)
  return item ? replaceItem(noted, { ...item, annotationId: id }) : noted
}

/** What the user wrote about a trace whose change was rejected: what was sent, and what was written since. */
export function rejectedDraft(state: SessionState, { traceDbId, comment, correctedOutput }: SavedChange): Draft {
  const sent = { ...(comment !== undefined && { comment }), ...(correctedOutput && { correctedOutput }) }
  return { ...sent, ...findItem(state, traceDbId)?.draft }
}

/**
 * The trace comes again with the message, after the current one: the user may be about to press a key for that. A trace that has all of
 * its raters does not come again.
 */
export function returnRejected(
  state: SessionState,
  change: SavedChange,
  { status: code, message }: { status: number; message: string },
): SessionState {
  const { traceDbId, before } = change
  const actions = state.actions.filter(({ item }) => item.traceDbId !== traceDbId)
  const noted = countRating({ ...noteChange(state, traceDbId), actions }, isNewRating(change) ? -1 : 0)
  const item = findItem(state, traceDbId)
  if (!item) return noted
  const status = code === 409 ? 'gone' : before.rating ? 'rated' : 'open'
  const draft = rejectedDraft(state, change)
  const again: AnnotationItem = { ...item, annotated: before, draft, status, rejection: message }
  if (traceDbId === state.currentId || !isOpen(again)) return replaceItem(noted, again)
  const others = state.items.filter((other) => other !== item)
  const position = others.findIndex((other) => other.traceDbId === state.currentId) + 1
  return { ...noted, items: others.toSpliced(position, 0, again), currentId: state.currentId ?? traceDbId }
}

interface BatchRequest {
  /** The step when it was sent. */
  startedAt: number
  /** Nothing was in the outbox. */
  wasIdle: boolean
  /** It asked for at least as many traces as are reserved. */
  isComplete: boolean
}

interface ArrivedBatch {
  batch: QueueBatch
  request: BatchRequest
  /** Changes of the run that the server may not have. */
  waiting: readonly OutboxEntry[]
  readDraft: (traceDbId: string) => Draft
}

export function acceptBatch(
  state: SessionState,
  { batch, request: { startedAt, wasIdle, isComplete }, waiting, readDraft }: ArrivedBatch,
): SessionState {
  const { items, currentId, batch: former } = state
  const changing = new Set(waiting.filter(isForQueue).map(traceOf))
  const isChanging = (id: string) => changing.has(id) || (state.changedAt.get(id) ?? 0) > startedAt
  const kept = isComplete ? withoutLost(items, batch) : items
  const merged = mergeBatch(kept, { batch: withWaitingComments(batch, waiting), isChanging, readDraft })
  const wasOpen = items.some((item) => item.traceDbId === currentId && isOpen(item))
  const isLost = wasOpen && !merged.some((item) => item.traceDbId === currentId && isOpen(item))
  // The counts are exact only if nothing changed since the request.
  const isExact = former === undefined || (wasIdle && state.step === startedAt)
  return {
    ...state,
    items: merged,
    batch: isExact ? batch : { ...batch, rated: former.rated, remaining: former.remaining },
    newlyRated: isExact ? waiting.filter(({ change }) => isNewRating(change)).length : state.newlyRated,
    isFetching: false,
    error: undefined,
    ...((currentId === undefined || isLost) && { currentId: nextOpen(merged, currentId)?.traceDbId }),
    ...(isLost && { notice: 'Your reservation of a trace expired, and another annotator has it now.' }),
  }
}

export function startFetch(state: SessionState): SessionState {
  return { ...state, isFetching: true }
}

export function failFetch(state: SessionState, error: unknown): SessionState {
  return { ...state, error, isFetching: false }
}

/** Adds traces that the user rated before this visit, given with the newest first. */
export function addEarlier(state: SessionState, annotations: readonly AnnotationWithTrace[]): SessionState {
  const earlier = annotations
    .flatMap((annotation) => ratedItemOf(annotation) ?? [])
    .filter(({ traceDbId }) => !findItem(state, traceDbId))
  return { ...state, items: [...earlier.reverse(), ...state.items] }
}

function replaceItem(state: SessionState, changed: AnnotationItem): SessionState {
  return { ...state, items: state.items.map((item) => (item.traceDbId === changed.traceDbId ? changed : item)) }
}

function recordAction(state: SessionState, action: Action): SessionState {
  return { ...noteChange(state, action.item.traceDbId), actions: [...state.actions, action] }
}

/** After the user changed a trace, and after the server has confirmed it. */
function noteChange(state: SessionState, traceDbId: string): SessionState {
  const step = state.step + 1
  return { ...state, step, changedAt: new Map(state.changedAt).set(traceDbId, step) }
}

/** 1 for a trace that has a rating now, -1 for one that has none any more. */
function countRating(state: SessionState, difference: number): SessionState {
  return { ...state, newlyRated: state.newlyRated + difference }
}

/** Comments that the server does not have yet. */
function withWaitingComments(batch: QueueBatch, waiting: readonly OutboxEntry[]): QueueBatch {
  const comments = new Map<string, string>()
  for (const { change } of waiting)
    if (change.kind === 'save' && change.comment !== undefined) comments.set(change.traceDbId, change.comment)
  const items = batch.items.map((item) => ({ ...item, comment: comments.get(item.traceDbId) ?? item.comment }))
  return { ...batch, items }
}

/** Whether a change gives a rating to a trace that had none. */
function isNewRating(change: AnnotationChange): boolean {
  return change.kind === 'save' && change.rating !== undefined && !change.before.rating
}

/** Whether the queue changes with it. A comment alone does not change what is to be rated. */
function isForQueue({ change }: OutboxEntry): boolean {
  return change.kind !== 'save' || change.rating !== undefined
}

function traceOf({ change }: OutboxEntry): string | undefined {
  return change.kind === 'undo' ? change.undone?.traceDbId : change.traceDbId
}
