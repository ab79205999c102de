/** What each field of the query language means in SQL, as a condition on `traces as t`. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { isUuid } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import { jsonNumber, jsonText } from '../../storage/dialect.ts'
import { cutFacet } from '../storing/facets.ts'
import {
  exactText,
  type NanosecondRange,
  type NumberRange,
  type Term,
  type Test,
  type TextPattern,
} from './condition.ts'
import { onTrace } from './on-trace.ts'
import type { FieldName } from './query-fields.ts'
import { hasText, isLike, type SpanTextColumn, spansMatching } from './text-search.ts'
import { isOpenRating, scoredTrace, visibleScores } from './visible-scores.ts'

/** `common` are the texts that so many spans have that naming them all would take longer than looking at traces one by one. */
export type Within = { q: Queries; workspaceId: string; common: ReadonlySet<TextPattern> }
type Compile = (within: Within, test: Test, key: string) => Expression<SqlBool>

export function compileTerm(within: Within, { field, key, test }: Term): Expression<SqlBool> {
  return compilers[field](within, test, key)
}

const compilers: Record<FieldName, Compile> = {
  status: (_, test) => (test.is === 'word' ? hasStatus(test.word) : everything),
  kind: (within, test) => facetMatches(within, 'kind', test),
  name: (within, test) => facetMatches(within, 'name', test),
  model: (within, test) => facetMatches(within, 'model', test),
  provider: (within, test) => facetMatches(within, 'provider', test),
  tag: (within, test) => facetMatches(within, 'tag', test),
  user: (within, test) => facetMatches(within, 'user', test),
  session: (within, test) => facetMatches(within, 'session', test),
  service: (within, test) => facetMatches(within, 'service', test),
  environment: (within, test) => facetMatches(within, 'environment', test),
  latency: (_, test) => measured(sql`(t.end_ns - t.start_ns)`, test),
  start: (_, test) => measured(sql.ref('t.start_ns'), test),
  cost: (_, test) => measured(sql.ref('t.cost_usd'), test),
  tokens: (_, test) => measured(sql.ref('t.total_tokens'), test),
  text: (within, test) => spanTextMatches(within, ['name', 'input', 'output'], test),
  input: (within, test) => spanTextMatches(within, ['input'], test),
  output: (within, test) => spanTextMatches(within, ['output'], test),
  component: ofComponent,
  rating: (within, test) => annotated(within, test),
  score: scored,
  metadata: described,
  has: (within, test) => (test.is === 'word' ? owns(within, test.word) : everything),
  id: named,
  trace: named,
}

const everything = onTrace.lit(true)

/** Written out and not as a parameter: only so do the engines know that the index of failed traces is enough. */
export function hasStatus(status: string): Expression<SqlBool> {
  return onTrace('t.status', '=', sql.lit(status === 'error' ? 'error' : 'ok'))
}

/**
 * A value is looked up for each trace; a pattern is looked for once in all values of the facet, because they are ordered by value and
 * a look-up by trace would read all of them each time.
 */
function facetMatches({ q, workspaceId }: Within, facet: string, test: Test): Expression<SqlBool> {
  const value = facetValue(test)
  const ofFacet = onTrace
    .selectFrom('trace_facets as v')
    .select('v.trace_id')
    .where('v.workspace_id', '=', workspaceId)
    .where('v.facet', '=', facet)
  if (value !== undefined) {
    return onTrace.exists(ofFacet.where('v.value', '=', value).whereRef('v.trace_id', '=', 't.id'))
  }
  if (test.is !== 'text') return onTrace('t.id', 'in', ofFacet)
  return onTrace('t.id', 'in', ofFacet.where(isLike(q, sql.ref<string>('v.value'), test.pattern)))
}

/** The value that a facet must have, if the test asks for exactly one. */
export function facetValue(test: Test): string | undefined {
  const value = test.is === 'word' ? test.word : test.is === 'text' ? exactText(test.pattern) : undefined
  return value === undefined ? undefined : cutFacet(value)
}

function measured(amount: Expression<unknown>, test: Test): Expression<SqlBool> {
  if (test.is === 'number') return inNumbers(amount, test.range)
  if (test.is === 'nanoseconds') return inNanoseconds(amount, test.range)
  return sql<SqlBool>`${amount} is not null`
}

/** Compared as floating point numbers, so that 0.5 may be asked of whole numbers too. */
function inNumbers(amount: Expression<unknown>, { from, to }: NumberRange): Expression<SqlBool> {
  const sides: Expression<SqlBool>[] = []
  const number = (value: number) => sql`cast(${value} as double precision)`
  if (from) sides.push(sql<SqlBool>`${amount} ${sql.raw(from.isIncluded ? '>=' : '>')} ${number(from.value)}`)
  if (to) sides.push(sql<SqlBool>`${amount} ${sql.raw(to.isIncluded ? '<=' : '<')} ${number(to.value)}`)
  return sides.length === 0 ? sql<SqlBool>`${amount} is not null` : onTrace.and(sides)
}

export function inNanoseconds(amount: Expression<unknown>, { from, until }: NanosecondRange): Expression<SqlBool> {
  const sides: Expression<SqlBool>[] = []
  if (from !== undefined) sides.push(sql<SqlBool>`${amount} >= ${from}`)
  if (until !== undefined) sides.push(sql<SqlBool>`${amount} < ${until}`)
  return sides.length === 0 ? sql<SqlBool>`${amount} is not null` : onTrace.and(sides)
}

function spanTextMatches(
  { q, workspaceId, common }: Within,
  columns: SpanTextColumn[],
  test: Test,
): Expression<SqlBool> {
  if (test.is === 'text') {
    const text = test.pattern
    if (!common.has(text)) return onTrace('t.id', 'in', spansMatching(q, { workspaceId, text, columns }))
    return onTrace.exists(spansOfTrace(workspaceId).where(hasText(q, { text, columns })))
  }
  const spans = spansOfTrace(workspaceId).where(({ or, eb }) =>
    or(columns.map((column) => eb(`s.${column}`, 'is not', null))),
  )
  return onTrace.exists(spans)
}

function spansOfTrace(workspaceId: string) {
  return onTrace
    .selectFrom('spans as s')
    .select('s.span_id')
    .where('s.workspace_id', '=', workspaceId)
    .whereRef('s.trace_id', '=', 't.id')
}

/** By name or by id. A component that was deleted is nobody's any more. */
function ofComponent({ q, workspaceId }: Within, test: Test): Expression<SqlBool> {
  const living = onTrace
    .selectFrom('components as k')
    .select('k.id')
    .where('k.workspace_id', '=', workspaceId)
    .where('k.deleted_at', 'is', null)
  if (test.is !== 'text') return onTrace('t.component_id', 'in', living)
  const isNamed = isLike(q, sql.ref<string>('k.name'), test.pattern)
  const id = uuidOf(test)
  const chosen = living.where(({ or, eb }) => or(id === undefined ? [isNamed] : [isNamed, eb('k.id', '=', id)]))
  return onTrace('t.component_id', 'in', chosen)
}

function uuidOf(test: Test): string | undefined {
  const text = test.is === 'text' ? exactText(test.pattern) : undefined
  return text !== undefined && isUuid(text) ? text.toLowerCase() : undefined
}

/** Our id, or the sender's. */
function named({ q }: Within, test: Test): Expression<SqlBool> {
  if (test.is !== 'text') return everything
  const text = exactText(test.pattern)
  if (text === undefined) {
    const own = isLike(q, sql<string>`cast(t.id as text)`, test.pattern)
    return onTrace.or([own, isLike(q, sql.ref<string>('t.trace_id'), test.pattern)])
  }
  const id = uuidOf(test)
  const sent = onTrace('t.trace_id', 'in', [text, text.toLowerCase()])
  return id === undefined ? sent : onTrace.or([sent, onTrace('t.id', '=', id)])
}

/** Annotations are kept by the sender's name of a trace, and are there only while their run is. */
function annotated({ q, workspaceId }: Within, test: Test | { is: 'any' }): Expression<SqlBool> {
  const annotations = onTrace
    .selectFrom('annotations as a')
    .innerJoin('runs as r', (join) =>
      join.onRef('r.workspace_id', '=', 'a.workspace_id').onRef('r.id', '=', 'a.run_id').on('r.deleted_at', 'is', null),
    )
    .innerJoin('datasets as d', (join) =>
      join
        .onRef('d.workspace_id', '=', 'r.workspace_id')
        .onRef('d.id', '=', 'r.dataset_id')
        .on('d.deleted_at', 'is', null),
    )
    .innerJoin('components as k', (join) =>
      join
        .onRef('k.workspace_id', '=', 'r.workspace_id')
        .onRef('k.id', '=', 'r.component_id')
        .on('k.deleted_at', 'is', null),
    )
    .select('a.id')
    .where('a.workspace_id', '=', workspaceId)
    .whereRef('a.trace_ref', '=', 't.trace_id')
  if (test.is === 'any') return onTrace.exists(annotations)
  // A search must not tell what a rater is not to know yet.
  const open = annotations.where(isOpenRating())
  if (test.is !== 'text') return onTrace.exists(open.where('a.rating', 'is not', null))
  return onTrace.exists(open.where(isLike(q, sql.ref<string | null>('a.rating'), test.pattern)))
}

/** Any visible score by this evaluator. Found once for all traces: no index leads from a trace to its scores. */
function scored({ workspaceId }: Within, test: Test, evaluator: string): Expression<SqlBool> {
  const scores = visibleScores(workspaceId, evaluator).select(scoredTrace.as('trace_ref'))
  return onTrace('t.trace_id', 'in', scores.where(measured(sql.ref('x.score'), test)))
}

/** An attribute of a span or of who sent it, by its exact key. Of the latter there are few, so they are found first. */
function described({ q, workspaceId }: Within, test: Test, key: string): Expression<SqlBool> {
  const origins = onTrace
    .selectFrom('span_origins as o')
    .select('o.hash')
    .where('o.workspace_id', '=', workspaceId)
    .where(memberFits(q, { json: sql.ref<string>('o.resource'), key, test }))
  const spans = spansOfTrace(workspaceId).where(({ or, eb }) =>
    or([
      eb('s.origin', 'in', origins),
      memberFits(q, { json: sql.ref<string>('s.attributes'), key, test }),
      movedFits(q, { key, test, column: 's.input', from: 's.input_from' }),
      movedFits(q, { key, test, column: 's.output', from: 's.output_from' }),
    ]),
  )
  return onTrace.exists(spans)
}

function memberFits(
  q: Queries,
  { json, key, test }: { json: Expression<string>; key: string; test: Test },
): Expression<SqlBool> {
  const [text, number] = [jsonText(q, json, key), jsonNumber(q, json, key)]
  if (test.is === 'number') return measured(number, test)
  if (test.is !== 'text') return onTrace.or([sql<SqlBool>`${text} is not null`, sql<SqlBool>`${number} is not null`])
  const isText = isLike(q, text, test.pattern)
  if (test.number === undefined) return isText
  const bound = { value: test.number, isIncluded: true }
  return onTrace.or([isText, inNumbers(number, { from: bound, to: bound })])
}

/** An attribute that became the input or the output, unchanged, is not kept a second time. */
function movedFits(
  q: Queries,
  { key, test, column, from }: { key: string; test: Test; column: string; from: string },
): Expression<SqlBool> {
  const isMoved = sql<SqlBool>`${sql.ref(from)} = ${key}`
  if (test.is === 'text') return onTrace.and([isMoved, isLike(q, sql.ref<string | null>(column), test.pattern)])
  return test.is === 'present' ? isMoved : onTrace.lit(false)
}

function owns(within: Within, word: string): Expression<SqlBool> {
  if (word === 'annotation') return annotated(within, { is: 'any' })
  if (word === 'error') return onTrace('t.error_count', '>', 0)
  if (word === 'cost') return onTrace('t.cost_usd', 'is not', null)
  return spanTextMatches(within, [word === 'input' ? 'input' : 'output'], { is: 'present' })
}
