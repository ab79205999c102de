import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { type Child, startChild } from './harness/child.ts'
import { type Effort, median } from './harness/compare.ts'
import { type Line, limitLine } from './harness/line.ts'
import type { ReaderCommands } from './harness/page-reader.ts'
import { seededComponent, spreadPlaces } from './harness/seeded-component.ts'
import { type Servers, startTouchstone, type Touchstone } from './harness/servers.ts'
import {
  COMMON_WORD,
  COMPONENTS_NAMED,
  MODELS,
  madeSessionId,
  madeTraceId,
  RARE_WORD,
  SENT_TRACES,
  SERVICES,
  type TraceSet,
  UNCOMMON_WORD,
} from './spans.ts'

const RATIO_MAX = 1.5
const LONG_TRACE_MS_MAX = 300
const LONG_TRACE_SPANS = 10_000
const LONG_TRACE_READS = 9
const OUTLINE_KB_MAX = 200
const READS_PER_ROUND = 40

const DAYS = 30
const DAY_MS = 86_400_000
const FIRST_MS = Date.parse('2026-10-15T00:00:00.000Z')
const RARE_TRACES = 25
/** Copies of each trace: copying needs a tenth of the time of creating. */
const COPIES = 9
const LONG_SET: TraceSet = { ...SENT_TRACES, seed: 'long', firstMs: FIRST_MS + DAYS * DAY_MS }

/** `traces` counts the traces that are not copies. */
type Sized = { touchstone: Touchstone; set: TraceSet; traces: number; spans: number }
type Question = { name: string; paths(sized: Sized, count: number): string[]; hasNoBar?: boolean }

/** Measures how long users wait when they search among ten times as many traces, and for one very long trace. */
export async function* measureLargeTraces(_: Servers, effort: Effort): AsyncGenerator<Line> {
  const reader = await startChild<ReaderCommands>(join(import.meta.dirname, 'harness/page-reader.ts'))
  const sizes: Sized[] = []
  try {
    for (const spans of [effort.spans / 10, effort.spans]) sizes.push(await startSized(spans, effort))
    const [small, large] = sizes
    if (!small || !large) throw new Error('there are two sizes')
    for (const question of QUESTIONS) yield await compareSizes(question, { reader, small, large }, effort)
    yield await openLongTrace(reader, large)
    yield await outlineLongTrace(reader, large)
  } finally {
    await Promise.all([reader.stop(), ...sizes.map(({ touchstone }) => touchstone.stop())])
  }
}

/** The same thirty days, with the number of traces that results in that many spans. */
async function startSized(spans: number, { spansPerTrace, keep }: Effort): Promise<Sized> {
  const traces = Math.floor(spans / spansPerTrace / (COPIES + 1))
  const set: TraceSet = {
    seed: `of ${spans}`,
    textLength: 100,
    firstMs: FIRST_MS,
    msPerTrace: (DAYS * DAY_MS) / traces,
    tracesPerRareWord: Math.floor(traces / RARE_TRACES),
  }
  const folder = keep === undefined ? undefined : resolve(keep, `${spans} spans, ${spansPerTrace} per trace`)
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  const touchstone = await startTouchstone(folder && `file:${folder}/touchstone.db`)
  // Written when the set is complete, so that a partial set is not used.
  const whole = folder && join(folder, 'whole')
  if (whole === undefined || !existsSync(whole)) {
    await touchstone.ask('seedComponents', COMPONENTS_NAMED)
    await touchstone.ask('seedTraces', { set, firstTrace: 0, traces, spansPerTrace, copies: COPIES })
    await touchstone.ask('seedTraces', { set: LONG_SET, firstTrace: 0, traces: 1, spansPerTrace: LONG_TRACE_SPANS })
    if (whole !== undefined) writeFileSync(whole, '')
  }
  await touchstone.ask('untilIndexed')
  return { touchstone, set, traces, spans }
}

/** Each request has another value, so that caches do not help. */
const readBy =
  (path: string) =>
  (parameters: (place: number, sized: Sized) => Record<string, string>): Question['paths'] =>
  (sized, count) =>
    spreadPlaces(sized.traces, count).map((place) => `${path}?${new URLSearchParams(parameters(place, sized))}`)

const listBy = readBy('/api/v1/traces')
const seriesBy = readBy('/api/v1/traces/series')
const facetsBy = readBy('/api/v1/traces/facets')

const QUESTIONS: Question[] = [
  { name: 'list', paths: listBy(() => ({})) },
  { name: 'status=error', paths: listBy(() => ({ status: 'error' })) },
  { name: 'service', paths: listBy((place) => ({ service: SERVICES[place % SERVICES.length] ?? '' })) },
  {
    name: 'component_id',
    paths: listBy((place) => ({ component_id: seededComponent(place % COMPONENTS_NAMED).id })),
  },
  { name: 'session_id', paths: listBy((place) => ({ session_id: madeSessionId(place) })) },
  { name: 'q: a model', paths: listBy((place) => ({ q: `model:${MODELS[place % MODELS.length]}` })) },
  { name: 'q: a rare text', paths: listBy(() => ({ q: RARE_WORD })) },
  { name: 'q: a common text', paths: listBy(() => ({ q: COMMON_WORD })) },
  { name: 'q: a text in one of 500 spans', paths: listBy(() => ({ q: UNCOMMON_WORD })), hasNoBar: true },
  { name: 'start_after, the last day', paths: listBy(() => ({ start_after: timeOf(DAYS - 1) })) },
  {
    name: 'start_after and start_before, one day',
    paths: listBy((place, { traces }) => {
      const day = Math.floor((place / traces) * DAYS)
      return { start_after: timeOf(day), start_before: timeOf(day + 1) }
    }),
  },
  { name: 'rows with all parts', paths: listBy(() => ({ include: 'previews,ratings,scores' })) },
  { name: 'rows by duration', paths: listBy(() => ({ sort: '-duration' })) },
  {
    // Reads at most 10,000 traces, which are all of a small set and next to each other there.
    name: 'rows of a model by cost',
    paths: listBy((place) => ({ sort: '-cost', q: `model:${MODELS[place % MODELS.length]}` })),
    hasNoBar: true,
  },
  { name: 'series of 30 days', paths: seriesBy(() => ({ from: timeOf(0), to: timeOf(DAYS) })) },
  {
    name: 'series of 30 days by component',
    paths: seriesBy(() => ({ from: timeOf(0), to: timeOf(DAYS), group_by: 'component' })),
  },
  {
    name: 'series of a session',
    paths: seriesBy((place) => ({ from: timeOf(0), to: timeOf(DAYS), q: `session:${madeSessionId(place)}` })),
  },
  {
    name: 'series by model',
    paths: seriesBy(() => ({ from: timeOf(0), to: timeOf(DAYS), group_by: 'model' })),
  },
  ...['model', 'service', 'component', 'user', 'metadata'].map((field) => ({
    name: `facets: ${field}`,
    paths: facetsBy(() => ({ field })),
  })),
  { name: 'facets: user by prefix', paths: facetsBy((place) => ({ field: 'user', prefix: `user-${place % 100}` })) },
  {
    name: 'facets: model of a service',
    paths: facetsBy((place) => ({ field: 'model', q: `service:${SERVICES[place % SERVICES.length]}` })),
  },
  {
    name: 'outline of a trace',
    paths: ({ set, traces }, count) =>
      spreadPlaces(traces, count).map((place) => `/api/v1/traces/${madeTraceId(set, place)}/outline`),
  },
  {
    name: 'open a trace',
    paths: ({ set, traces }, count) =>
      spreadPlaces(traces, count).map((place) => `/api/v1/traces/${madeTraceId(set, place)}`),
  },
]

function timeOf(day: number): string {
  return new Date(FIRST_MS + day * DAY_MS).toISOString()
}

type Compared = { reader: Child<ReaderCommands>; small: Sized; large: Sized }

async function compareSizes(
  { name, paths, hasNoBar }: Question,
  { reader, small, large }: Compared,
  { rounds, share }: Effort,
): Promise<Line> {
  const count = Math.ceil(READS_PER_ROUND * share)
  const read = (sized: Sized) =>
    reader.ask('read', { port: sized.touchstone.port, key: sized.touchstone.key, paths: paths(sized, count) })
  const onSmall: number[] = []
  const onLarge: number[] = []
  const ratios: number[] = []
  await read(small)
  await read(large)
  for (let round = 0; round < rounds; round += 1) {
    const tookSmall = await read(small)
    const tookLarge = await read(large)
    onSmall.push(...tookSmall)
    onLarge.push(...tookLarge)
    ratios.push(median(tookLarge) / median(tookSmall))
  }
  const ratio = median(onLarge) / median(onSmall)
  return {
    name: `${short(large)} spans by ${short(small)}: ${name}`,
    value: `${ratio.toFixed(2)}x`,
    ...(hasNoBar ? {} : { bar: `<= ${RATIO_MAX}x`, isMet: ratio <= RATIO_MAX }),
    detail:
      `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}; median ${median(onLarge).toFixed(1)} by ` +
      `${median(onSmall).toFixed(1)} ms, 95 of 100 within ${high(onLarge).toFixed(1)} by ${high(onSmall).toFixed(1)}`,
  }
}

async function openLongTrace(reader: Child<ReaderCommands>, { touchstone }: Sized): Promise<Line> {
  const path = `/api/v1/traces/${madeTraceId(LONG_SET, 0)}`
  const { port, key } = touchstone
  const body = await reader.ask('show', { port, key, path })
  const { spans, nextSpansOffset }: { spans: unknown[]; nextSpansOffset?: number } = JSON.parse(body)
  if (nextSpansOffset !== spans.length) throw new Error(`the next of ${spans.length} spans is ${nextSpansOffset}`)
  const took = await reader.ask('read', { port, key, paths: Array(LONG_TRACE_READS).fill(path) })
  return {
    ...limitLine(`open a trace of ${LONG_TRACE_SPANS} spans`, median(took), { max: LONG_TRACE_MS_MAX, unit: 'ms' }),
    detail:
      `${Math.min(...took).toFixed(0)}-${Math.max(...took).toFixed(0)} ms until the last byte, ` +
      `the first ${spans.length} spans, ${(body.length / 1e6).toFixed(1)} MB, which is the limit of one response`,
  }
}

async function outlineLongTrace(reader: Child<ReaderCommands>, { touchstone }: Sized): Promise<Line> {
  const path = `/api/v1/traces/${madeTraceId(LONG_SET, 0)}/outline`
  const { port, key } = touchstone
  const body = await reader.ask('show', { port, key, path })
  const took = await reader.ask('read', { port, key, paths: Array(LONG_TRACE_READS).fill(path) })
  const bytes = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length
  return {
    ...limitLine(`outline of ${LONG_TRACE_SPANS} spans, compressed`, bytes / 1_000, {
      max: OUTLINE_KB_MAX,
      unit: 'kB',
    }),
    detail: `${median(took).toFixed(0)} ms, ${Math.min(...took).toFixed(0)}-${Math.max(...took).toFixed(0)}, not compressed`,
  }
}

function short({ spans }: Sized): string {
  return spans >= 1e6 ? `${spans / 1e6} M` : `${spans / 1e3} k`
}

function high(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN
}
