/** The list of traces with a few rows, for tests. */
import { screen } from '@testing-library/dom'
import { beforeEach, vi } from 'vitest'
import type { Role, TraceRow, TraceRowList, TraceSeries } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { onRequest } from './mock-api.ts'
import { idOf, inSupport, openPage, signIn } from './open-page.ts'

export const PAGE = inSupport('traces')

/** happy-dom lays out nothing, so a table would render no row. */
export function layOutTable(): void {
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
  })
}

export function rowOf(number: number, changes: Partial<TraceRow> = {}): TraceRow {
  return {
    ...exampleOf<TraceRow>('TraceRow'),
    id: idOf(number),
    name: `turn ${number}`,
    preview: { input: `question ${number}`, output: `answer ${number}` },
    ratings: [],
    scores: [],
    ...changes,
  }
}

export function listOf(rows: TraceRow[], changes: Partial<TraceRowList> = {}): TraceRowList {
  return {
    data: rows,
    nextCursor: null,
    total: rows.length,
    totalIsExact: true,
    sortIsComplete: true,
    searchedSince: null,
    ...changes,
  }
}

export const SERIES: TraceSeries = {
  from: '2026-11-15T00:00:00.000Z',
  to: '2026-11-16T00:00:00.000Z',
  bucketSeconds: 3600,
  completeFrom: '2026-11-15T00:00:00.000Z',
  durationsAreSampled: false,
  series: [
    {
      kind: 'all',
      value: null,
      label: null,
      buckets: [{ start: '2026-11-15T09:00:00.000Z', count: 3, errors: 1, p50Ms: 1, p95Ms: 2, tokens: 0, costUsd: 0 }],
    },
  ],
}

export function openTraces(rows: TraceRow[] = [rowOf(3), rowOf(2), rowOf(1)], path = PAGE, role: Role = 'editor') {
  signIn(role)
  onRequest('GET /traces', listOf(rows))
  onRequest('GET /traces/series', SERIES)
  return openPage(path)
}

export const grid = () => screen.findByRole('grid', { name: 'Traces' })
