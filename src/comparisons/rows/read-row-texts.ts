import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Split } from '../../datasets/splits/split.ts'
import type { Queries } from '../../storage/db.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import type { ComparedSide } from '../compare-runs.ts'
import type { Metric } from '../pairing/compared-metrics.ts'
import type { Row } from './comparison-rows.ts'
import { drawSide } from './draw-side.ts'
import { listRowItems, listRowRatings, listRowResults } from './row-text-queries.ts'

/** In UTF-16 code units. A page has up to a hundred rows with four texts each. */
const PREVIEW_LENGTH_MAX = 4_000
/** A trace may have a megabyte of content, of which only the beginning is kept. */
const TRACES_PER_READ = 10

type Preview = { text: string; isCut: boolean }

export type RowTexts = {
  /** The number of the pair among those of its item, from 1. Null if it is no pair. */
  repetition: number | null
  /** The position of the item in its dataset, oldest first, from 1. */
  number: number | null
  /** The answer that the reader sees on the left if the two are compared blindly; null if it is no pair. */
  shownLeft: Side | null
  split: Split | null
  input: Preview | null
  expected: Preview | null
  baseline: Preview | null
  candidate: Preview | null
  results: RowResult[]
  ratings: RowRating[]
}

type Side = 'baseline' | 'candidate'

type RowResult = {
  run: Side
  name: string
  repetition: number
  passed: boolean | null
  /** Why the score is what it is. */
  reason: Preview | null
  /** Why there is no score. */
  error: Preview | null
}

type RowRating = { run: Side; userId: string; rating: string | null; comment: Preview | null; createdAt: string }

export type ReadRowTexts = {
  workspaceId: string
  datasetId: string
  readerId: string
  baseline: ComparedSide
  candidate: ComparedSide
  /** The metrics that the reader may see. */
  metrics: readonly Pick<Metric, 'name' | 'evaluations'>[]
  /** Default: the limit of a page. */
  textLengthMax?: number | undefined
}

/** The texts of the rows of one page, in their order. Texts of other rows are not read. */
export async function readRowTexts(q: Queries, request: ReadRowTexts, rows: readonly Row[]): Promise<RowTexts[]> {
  const { workspaceId, datasetId } = request
  const previewOf = previewsOf(request)
  const itemIds = [...new Set(rows.flatMap(({ itemId }) => (itemId === null ? [] : [itemId])))]
  const items = await listRowItems(q, { workspaceId, datasetId }, itemIds)
  const baseline = await readSide(q, request, 'baseline', rows)
  const candidate = await readSide(q, request, 'candidate', rows)
  return rows.map((row) => {
    const item = row.itemId === null ? undefined : items.get(row.itemId)
    const [before, after] = [baseline.of(row.baseline?.ref), candidate.of(row.candidate?.ref)]
    const { repetition } = row
    const shown = { userId: request.readerId, baseline: request.baseline.runId, candidate: request.candidate.runId }
    const asked = previewOf(item?.input ?? null) ?? before.input ?? after.input
    return {
      repetition,
      number: item?.number ?? null,
      shownLeft: item && repetition !== null ? drawSide({ ...shown, number: item.number, repetition }) : null,
      split: item?.split ?? null,
      input: asked,
      expected: previewOf(item?.expected ?? null),
      baseline: before.output,
      candidate: after.output,
      results: [...before.results, ...after.results],
      ratings: [...before.ratings, ...after.ratings],
    }
  })
}

type TextsOfCase = Pick<RowTexts, 'input' | 'results' | 'ratings'> & { output: Preview | null }

async function readSide(q: Queries, request: ReadRowTexts, run: Side, rows: readonly Row[]) {
  const { workspaceId, readerId, metrics } = request
  const { runId } = request[run]
  const previewOf = previewsOf(request)
  const refs = rows.flatMap((row) => (row[run] === undefined ? [] : [row[run].ref]))
  const contents = await readContents(q, request, refs)
  const results: Awaited<ReturnType<typeof listRowResults>> = []
  for (const [evaluationId, own] of Map.groupBy(metrics, ({ evaluations }) => evaluations?.[run])) {
    const evaluators = own.map(({ name }) => name)
    if (evaluationId) results.push(...(await listRowResults(q, { workspaceId, evaluationId }, { refs, evaluators })))
  }
  const ratings = await listRowRatings(q, { workspaceId, runId, readerId }, refs)
  const resultsByRef = Map.groupBy(results, ({ ref }) => ref)
  const ratingsByRef = Map.groupBy(ratings, ({ ref }) => ref)
  const of = (ref = ''): TextsOfCase => ({
    ...(contents.get(ref) ?? { input: null, output: null }),
    results: (resultsByRef.get(ref) ?? []).map(({ evaluator: name, repetition, state, passed, reason }) => ({
      run,
      name,
      repetition,
      passed: passed === null ? null : passed === 1,
      reason: previewOf(state === 'scored' ? reason : null),
      error: previewOf(state === 'scored' ? null : reason),
    })),
    ratings: (ratingsByRef.get(ref) ?? []).map(({ userId, rating, comment, createdAt }) => ({
      run,
      userId,
      rating,
      comment: previewOf(comment),
      createdAt,
    })),
  })
  return { of }
}

async function readContents(q: Queries, request: ReadRowTexts, refs: readonly string[]) {
  const previewOf = previewsOf(request)
  const contents = new Map<string, { input: Preview | null; output: Preview | null }>()
  for (const chunk of chunksOf(refs, TRACES_PER_READ)) {
    for (const [ref, { input, output }] of await findTraceContents(q, request.workspaceId, chunk))
      contents.set(ref, { input: previewOf(input), output: previewOf(output) })
    await yieldToEventLoop()
  }
  return contents
}

function previewsOf({ textLengthMax = PREVIEW_LENGTH_MAX }: ReadRowTexts) {
  return (text: string | null): Preview | null => {
    if (text === null || text === '') return null
    const isCut = text.length > textLengthMax
    return { text: isCut ? text.slice(0, textLengthMax).toWellFormed() : text, isCut }
  }
}
