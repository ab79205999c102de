import type {
  Annotation,
  QueueBatch,
  QueueBatchItem,
  RatingChoice,
  Run,
  UndoneAnnotation,
} from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { onRequest } from './mock-api.ts'
import { ADA, ASSISTANT, idOf, inSupport } from './open-page.ts'

const RUN_PATH = '/components/{componentId}/runs/{runId}'
export const NEXT = `POST ${RUN_PATH}/queue/next`
export const ANNOTATE = `POST ${RUN_PATH}/annotations`
export const UNDO = `POST ${RUN_PATH}/annotation-undo`
export const RELEASE = `POST ${RUN_PATH}/queue/release`
export const SKIP = `POST ${RUN_PATH}/queue/skip`
export const CORRECT = `PUT ${RUN_PATH}/annotations/{annotationId}/corrected-output`
export const MINE = `GET ${RUN_PATH}/annotations`

export const RUN: Run = { ...exampleOf<Run>('Run'), id: idOf(50), name: 'Prompt v7', aiComponentId: ASSISTANT.id }
export const ANNOTATE_PAGE = inSupport(`c/${ASSISTANT.id}/runs/${RUN.id}/annotate`)

const RATINGS: RatingChoice[] = [
  { value: 'wrong', label: 'Wrong', score: 0, color: 'red', key: '1' },
  { value: 'right', label: 'Right', score: 1, color: 'green', key: '2' },
]

type Saved = { rating: string | null; comment: string | null; correctedOutput: string | null }

/** Trace number n, from 1. */
export const traceOf = (number: number) => idOf(100 + number)

export function itemOf(number: number): QueueBatchItem {
  return {
    ...exampleOf<QueueBatchItem>('QueueBatchItem'),
    traceDbId: traceOf(number),
    traceId: `trace-${number}`,
    input: `Question ${number}`,
    output: `Answer ${number}`,
    expected: `Expected ${number}`,
    comment: null,
    leaseUntil: null,
  }
}

interface QueueOptions {
  leaseUntil?: string
  blind?: boolean
}

/** A run with `total` traces, of which the user has rated none. Does what the server does, for one user. */
export function serveQueue(total: number, { leaseUntil, blind = false }: QueueOptions = {}) {
  const saved = new Map<string, Saved>()
  const skipped: string[] = []
  const taken = new Set<string>()
  const changes: { traceDbId: string; former: Saved | undefined }[] = []
  const isRated = (id: string) => Boolean(saved.get(id)?.rating)

  function batch(limit: number, first?: string): QueueBatch {
    const items = Array.from({ length: total }, (_, index) => itemOf(index + 1))
    const order = (id: string) => (id === first ? -1 : skipped.includes(id) ? 1 + skipped.indexOf(id) : 0)
    const open = items
      .filter(({ traceDbId }) => !isRated(traceDbId) && !taken.has(traceDbId))
      .toSorted((a, b) => order(a.traceDbId) - order(b.traceDbId))
    return {
      items: open.slice(0, limit).map((item) => ({
        ...item,
        leaseUntil: leaseUntil ?? null,
        comment: saved.get(item.traceDbId)?.comment ?? null,
      })),
      remaining: open.length,
      rated: total - open.length,
      total,
      skipped: skipped.length,
      order: 'random',
      blind,
      ratings: RATINGS,
      summary: open.length === 0 ? `You have rated all ${total} traces of this run.` : 'Some remain.',
    }
  }

  function annotationOf(traceDbId: string, { rating, comment }: Saved): Annotation {
    const createdAt = '2026-11-16T09:00:00.000Z'
    return { id: `${traceDbId.slice(0, -4)}9999`, traceDbId, userId: ADA.id, rating, comment, createdAt }
  }

  function change(traceDbId: string, fields: Partial<Saved>): Annotation {
    const former = saved.get(traceDbId)
    const next = { rating: null, comment: null, correctedOutput: null, ...former, ...fields }
    saved.set(traceDbId, next)
    changes.push({ traceDbId, former })
    return annotationOf(traceDbId, next)
  }

  function undo(): UndoneAnnotation {
    const last = changes.pop()
    if (!last) return { traceDbId: null, annotation: null }
    if (last.former) saved.set(last.traceDbId, last.former)
    else saved.delete(last.traceDbId)
    return { traceDbId: last.traceDbId, annotation: last.former ? annotationOf(last.traceDbId, last.former) : null }
  }

  const annotate = ({ body }: { body: unknown }) => {
    // As the page sends it; the mock has checked it against the description.
    const { traceDbId, ...fields } = body as { traceDbId: string } & Partial<Saved>
    return change(traceDbId, fields)
  }
  onRequest(`GET ${RUN_PATH}`, { ...RUN, traceCount: total })
  onRequest(NEXT, ({ body }) => {
    const { limit, first } = body as { limit: number; first?: string }
    return batch(limit, first)
  })
  onRequest(ANNOTATE, annotate)
  onRequest(UNDO, undo)
  onRequest(SKIP, ({ body }) => {
    skipped.push(...(body as { traceIds: string[] }).traceIds)
    return null
  })
  onRequest(CORRECT, ({ body }) => {
    const traceDbId = changes.at(-1)?.traceDbId ?? ''
    change(traceDbId, body as { correctedOutput: string })
    return body as object
  })
  onRequest('GET /me/work', { remaining: 0, disagreements: 0, hasMore: false, data: [] })
  return {
    saved,
    annotate,
    /** Another annotator gets the trace. */
    takeAway: (traceDbId: string) => void taken.add(traceDbId),
  }
}
