import { notFound } from '../../base/errors.ts'
import { createdAtOf } from '../../base/ids.ts'
import type { Page } from '../../base/page.ts'
import type { Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { findTrace, lockTrace } from '../../traces/trace-queries.ts'
import { isTraceBlindTo, isVisibleTo, listBlindRuns } from '../blind-annotation-queries.ts'
import { requireSchemeRating } from '../save-annotation.ts'
import {
  deleteTraceAnnotation,
  findTraceAnnotation,
  listAnnotationsOfTrace,
  listHiddenRaters,
  type TraceAnnotationFields,
  type TraceAuthor,
  upsertTraceAnnotation,
  visibleOutside,
} from './trace-annotation-queries.ts'

type Services = Pick<Context, 'db' | 'newId'>

/** Replaces the caller's annotation of a trace outside of runs. Without any content it is deleted. */
export async function annotateTrace(
  { db, newId }: Services,
  by: Principal,
  ref: string,
  { rating = null, comment = null, correctedOutput = null }: Partial<TraceAnnotationFields>,
) {
  const { workspaceId, userId } = by
  return db.transaction(async (tx) => {
    const trace = await lockTrace(tx, workspaceId, ref)
    if (!trace) throw notFound('Trace')
    if (rating !== null) await requireSchemeRating(tx, workspaceId, rating)
    const author = { workspaceId, traceDbId: trace.id, userId }
    const id = newId()
    const isEmpty = rating === null && comment === null && correctedOutput === null
    if (isEmpty) await deleteTraceAnnotation(tx, author)
    else await upsertTraceAnnotation(tx, author, { id, now: createdAtOf(id), rating, comment, correctedOutput })
    return ownAnnotation(tx, author)
  })
}

/** Does nothing if there is none. */
export async function removeTraceAnnotation({ db }: Services, by: Principal, ref: string): Promise<void> {
  const { workspaceId, userId } = by
  await db.transaction(async (tx) => {
    const trace = await lockTrace(tx, workspaceId, ref)
    if (!trace) throw notFound('Trace')
    await deleteTraceAnnotation(tx, { workspaceId, traceDbId: trace.id, userId })
  })
}

export async function readTraceAnnotation({ db }: Services, { workspaceId, userId }: Principal, ref: string) {
  const trace = await findTrace(db.read, workspaceId, ref)
  if (!trace) throw notFound('Trace')
  return ownAnnotation(db.read, { workspaceId, traceDbId: trace.id, userId })
}

const NONE = { id: null, rating: null, comment: null, correctedOutput: null, createdAt: null, updatedAt: null }

async function ownAnnotation(q: Queries, author: TraceAuthor) {
  const own = await findTraceAnnotation(q, author)
  return { traceDbId: author.traceDbId, userId: author.userId, ...(own ?? NONE) }
}

/** The annotations of a trace that the caller may see, in runs and outside of runs, and who else has rated it. */
export async function readAnnotationsOfTrace({ db }: Services, by: Principal, ref: string, page: Page) {
  const { workspaceId, userId: readerId } = by
  const q = db.read
  const found = await findTrace(q, workspaceId, ref)
  if (!found) throw notFound('Trace')
  const trace = { workspaceId, traceDbId: found.id, traceRef: found.traceId }
  const reader = { workspaceId, readerId }
  const visibility = {
    inRuns: isVisibleTo(readerId, await listBlindRuns(q, reader)),
    outside: visibleOutside(readerId, await isTraceBlindTo(q, reader, found.traceId)),
  }
  const listing = await listAnnotationsOfTrace(q, trace, { ...visibility, ...page })
  return { listing, hiddenRaters: await listHiddenRaters(q, trace, visibility) }
}
