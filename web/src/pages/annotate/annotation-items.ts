/** The traces of a run on the annotation page, and how responses of the server change them. Pure functions. */
import type { AnnotationWithTrace, QueueBatch, QueueBatchItem } from '../../api/generated/api.ts'
import type { Annotated } from './annotation-change.ts'
import type { Draft } from './annotation-drafts.ts'

export interface AnnotationItem {
  traceDbId: string
  traceId: string
  hasFailed: boolean
  input: string | null
  output: string | null
  expected: string | null
  /** Until when the trace is reserved; null if the run does not limit its annotators. */
  leaseUntil: string | null
  /** What the user has said, including what is not on the server yet. */
  annotated: Annotated
  annotationId?: string
  /** Undefined if it is not known whether the user has corrected the output. */
  correctedOutput?: string | null
  draft: Draft
  /** `gone`: others have rated it, or it is reserved for them. */
  status: 'open' | 'rated' | 'skipped' | 'gone'
  /** Why the server did not accept what the user said. */
  rejection?: string
}

function itemOf(item: QueueBatchItem, draft: Draft): AnnotationItem {
  const { traceDbId, traceId, leaseUntil, comment, input = null, output = null, expected = null } = item
  const texts = { input, output, expected }
  const annotated = { rating: null, comment }
  const hasFailed = item.status === 'error'
  return { traceDbId, traceId, hasFailed, ...texts, leaseUntil, annotated, draft, status: 'open' }
}

/** A trace that the user has rated before; undefined if it has no rating, or was deleted. */
export function ratedItemOf({ id, rating, comment, trace }: AnnotationWithTrace): AnnotationItem | undefined {
  if (!rating || !trace) return undefined
  const { traceDbId, traceId, input, output, expected } = trace
  return {
    traceDbId,
    traceId,
    hasFailed: trace.status === 'error',
    input,
    output,
    expected,
    leaseUntil: null,
    annotated: { rating, comment },
    annotationId: id,
    draft: {},
    status: 'rated',
  }
}

interface Merge {
  batch: QueueBatch
  /** Traces with changes that the server may not have had when it responded. */
  isChanging: (traceDbId: string) => boolean
  readDraft: (traceDbId: string) => Draft
}

/**
 * Adds the traces of a batch. Known ones keep what the user said. Skipped ones are opened again only when nothing else is left, because the
 * user wanted to see them last.
 */
export function mergeBatch(
  items: readonly AnnotationItem[],
  { batch, isChanging, readDraft }: Merge,
): AnnotationItem[] {
  const offered = new Map(batch.items.map((item) => [item.traceDbId, item]))
  const known = items.map((item) => {
    const offer = offered.get(item.traceDbId)
    offered.delete(item.traceDbId)
    if (!offer) return item
    if (item.status === 'gone' && !isChanging(item.traceDbId))
      return { ...item, leaseUntil: offer.leaseUntil, status: 'open' as const }
    return item.status === 'open' ? { ...item, leaseUntil: offer.leaseUntil } : item
  })
  const added = [...offered.values()].filter(({ traceDbId }) => !isChanging(traceDbId))
  const merged = [...known, ...added.map((item) => itemOf(item, readDraft(item.traceDbId)))]
  return merged.some(isOpen) ? merged : reopen(merged, { batch, isChanging })
}

/** Nothing else is left: what the server still offers comes again, at the end. */
function reopen(items: AnnotationItem[], { batch, isChanging }: Omit<Merge, 'readDraft'>): AnnotationItem[] {
  const again = batch.items.flatMap(({ traceDbId, leaseUntil }) => {
    const item = items.find((known) => known.traceDbId === traceDbId)
    if (!item || isChanging(traceDbId)) return []
    const annotated = { ...item.annotated, rating: null }
    return [{ ...item, leaseUntil, annotated, status: 'open' as const }]
  })
  const ids = new Set(again.map(({ traceDbId }) => traceDbId))
  return [...items.filter(({ traceDbId }) => !ids.has(traceDbId)), ...again]
}

/** Open traces whose reservation has not been renewed: they belong to other annotators now. */
export function withoutLost(items: readonly AnnotationItem[], batch: QueueBatch): AnnotationItem[] {
  const offered = new Set(batch.items.map(({ traceDbId }) => traceDbId))
  return items.map((item) => {
    const isLost = item.status === 'open' && item.leaseUntil !== null && !offered.has(item.traceDbId)
    return isLost ? { ...item, leaseUntil: null, status: 'gone' as const } : item
  })
}

export interface ChangedFields {
  rating?: string
  comment?: string
  correctedOutput?: string | null
}

/** What is to be saved: the rating if it is another one, and what the user has written. Undefined if nothing changed. */
export function changedFields(item: AnnotationItem, rating: string | undefined): ChangedFields | undefined {
  const { annotated, draft } = item
  const fields: ChangedFields = {}
  if (rating !== undefined && rating !== annotated.rating) fields.rating = rating
  const comment = draft.comment?.trim() === '' ? '' : draft.comment
  if (comment !== undefined && comment !== (annotated.comment ?? '')) fields.comment = comment
  const corrected = draft.correctedOutput
  if (corrected !== undefined && corrected !== (item.correctedOutput ?? item.output ?? ''))
    fields.correctedOutput = corrected.trim() === '' ? null : corrected
  return Object.keys(fields).length > 0 ? fields : undefined
}

/** The item after its changes were saved. */
export function withSaved(item: AnnotationItem, fields: ChangedFields): AnnotationItem {
  const { rejection: _, ...others } = item
  const { rating = item.annotated.rating, comment = item.annotated.comment, correctedOutput } = fields
  return {
    ...others,
    annotated: { rating, comment },
    ...(correctedOutput !== undefined && { correctedOutput }),
    draft: {},
    status: fields.rating === undefined ? item.status : 'rated',
  }
}

/** The next trace to rate: the first open one after the current, else the first of all. */
export function nextOpen(items: readonly AnnotationItem[], currentId: string | undefined): AnnotationItem | undefined {
  const position = items.findIndex(({ traceDbId }) => traceDbId === currentId)
  const isOther = (item: AnnotationItem) => isOpen(item) && item.traceDbId !== currentId
  return items.slice(position + 1).find(isOther) ?? items.find(isOther)
}

export function isOpen({ status }: AnnotationItem): boolean {
  return status === 'open'
}

/** A few words of the question, to recognize the trace by. */
export function titleOf({ input, traceId }: Pick<AnnotationItem, 'input' | 'traceId'>): string {
  const text = input?.trim().replaceAll(/\s+/g, ' ')
  if (!text) return traceId
  return text.length > 60 ? `${text.slice(0, 59).trimEnd()}…` : text
}
