/** The page of a trace of two spans that Ada may rate and discuss. */
import { screen } from '@testing-library/dom'
import type { Role, Span, Trace, TraceAnnotation, TraceComment, TraceOutline } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { onRequest } from './mock-api.ts'
import { ADA, closePage, eventually, idOf, inSupport, openPage, signIn } from './open-page.ts'

export const PAGE = inSupport(`traces/${idOf(5)}`)
export const BEN = { id: idOf(8), name: 'Ben Okri' }

export const OUTLINE: TraceOutline = {
  startTime: '2026-11-15T09:30:00.000Z',
  total: 2,
  labels: [
    { kind: 'agent', name: 'turn' },
    { kind: 'llm', name: 'answer' },
  ],
  spanIds: ['a', 'b'],
  parents: [null, 0],
  labelOf: [0, 1],
  startGapsMs: [0, 100],
  durationsMs: [1000, 300],
  errors: [],
  totalTokens: [null, null],
  costsUsd: [null, null],
}

export const ANNOTATION = 'PUT /traces/{traceId}/annotation'
export const COMMENTS = 'GET /traces/{traceId}/comments'

function annotationOf(fields: Partial<TraceAnnotation>): TraceAnnotation {
  const isEmpty = !fields.rating && !fields.comment
  const time = isEmpty ? null : '2026-11-16T10:00:00.000Z'
  return {
    traceDbId: idOf(5),
    userId: ADA.id,
    id: isEmpty ? null : idOf(20),
    rating: null,
    comment: null,
    correctedOutput: null,
    createdAt: time,
    updatedAt: time,
    ...fields,
  }
}

export function commentOf(number: number, fields: Partial<TraceComment> = {}): TraceComment {
  const time = '2026-11-16T10:00:00.000Z'
  return {
    id: idOf(100 + number),
    traceDbId: idOf(5),
    spanId: null,
    userId: ADA.id,
    name: ADA.name,
    text: `Comment ${number}`,
    createdAt: time,
    updatedAt: time,
    ...fields,
  }
}

/** The server keeps what is put, as the real one does. */
export function openTrace({ role = 'annotator' as Role, saved = {} as Partial<TraceAnnotation>, path = PAGE } = {}) {
  let own = annotationOf(saved)
  signIn(role)
  onRequest('GET /rating-scheme', {
    ratings: ['right', 'partly', 'wrong'].map((value, index) => ({
      value,
      label: null,
      score: 2 - index,
      color: null,
      key: `${index + 1}`,
    })),
    ordered: true,
  })
  onRequest('GET /traces/{traceId}', { ...exampleOf<Trace>('Trace'), id: idOf(5), input: 'Can I send it back?' })
  onRequest('GET /traces/{traceId}/outline', OUTLINE)
  onRequest('GET /traces/{traceId}/spans/{spanId}', ({ params }) => ({
    ...exampleOf<Span>('Span'),
    spanId: params['spanId'] ?? '',
    name: params['spanId'] === 'a' ? 'turn' : 'answer',
    messages: null,
  }))
  onRequest('GET /traces/{traceId}/annotation', () => own)
  onRequest(ANNOTATION, ({ body }) => {
    own = annotationOf(Object(body))
    return own
  })
  onRequest('GET /traces/{traceId}/annotations', { data: [], hiddenRaters: [] })
  onRequest(COMMENTS, { data: [] })
  onRequest('GET /traces/{traceId}/links', {
    runs: [],
    items: [],
    scores: [],
    hasMore: { runs: false, items: false, scores: false },
    source: 'production',
    prompts: [],
  })
  return openPage(path)
}

export async function openFacts(user: ReturnType<typeof openPage>): Promise<HTMLElement> {
  await user.click(await screen.findByRole('button', { name: 'Facts' }))
  return screen.findByRole('complementary', { name: 'Facts' })
}

/** The toast accepts a click only a moment after it has appeared. */
export function undo(user: ReturnType<typeof openPage>): Promise<unknown> {
  return eventually(() => user.click(screen.getByRole('button', { name: 'Undo' })))
}

/** Closes the page and keeps what the browser stores. */
export function reload(): void {
  const stored = Object.entries(localStorage)
  closePage()
  for (const [key, value] of stored) localStorage.setItem(key, String(value))
}
