/** Compiles each field of the query language to SQL, as a condition on `traces as t`. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { isUuid } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import { jsonNumber, jsonText, perRow } from '../../storage/dialect.ts'
import { cutFacet } from '../storing/cut-facet.ts'
import {
  exactText,
  type NanosecondRange,
  type NumberRange,
  type Term,
  type Test,
  type TextPattern,
} from './condition.ts'
import type { FieldName } from './query-fields.ts'
import { hasText, isLike, type SpanTextColumn, spansMatching } from './text-search-queries.ts'
import { traceExpression } from './trace-expression.ts'
import { isOpenRating, isOutsideBlindRuns, scoredTrace, visibleScores } from './visible-score-queries.ts'

/**
 * `common` contains the texts that so many spans match that checking traces one by one is faster than listing all of
 * them.
 */
export type CompileContext = { q: Queries; workspaceId: string; common: ReadonlySet<TextPattern> }
type Compile = (context: CompileContext, test: Test, key: string) => Expression<SqlBool>

export function compileTerm(context: CompileContext, { field, key, test }: Term): Expression<SqlBool> {
  return compilers[field](context, test, key)
}

/**
 * `not (…)` would be null for a trace without the number in question, so that neither the condition nor its negation
 * would match.
 */
export function isNotTrue(condition: Expression<SqlBool>): Expression<SqlBool> {
  return sql<SqlBool>`(${condition}) is not true`
}

const compilers: Record<FieldName, Compile> = {
  status: (_, test) => (test.is === 'word' ? hasStatus(test.word) : always),
  kind: (context, test) => facetMatches(context, 'kind', test),
  name: (context, test) => facetMatches(context, 'name', test),
  model: (context, test) => facetMatches(context, 'model', test),
  provider: (context, test) => facetMatches(context, 'provider', test),
  tag: (context, test) => facetMatches(context, 'tag', test),
  user: (context, test) => facetMatches(context, 'user', test),
  session: (context, test) => facetMatches(context, 'session', test),
  service: (context, test) => facetMatches(context, 'service', test),
  environment: (context, test) => facetMatches(context, 'environment', test),
  prompt: (context, test) => facetMatches(context, 'prompt', test),
  source: (_, test) => (test.is === 'word' ? hasSource(test.word) : always),
  latency: (_, test) => matchesAmount(sql`(t.end_ns - t.start_ns)`, test),
  start: (_, test) => matchesAmount(sql.ref('t.start_ns'), test),
  cost: (_, test) => matchesAmount(sql.ref('t.cost_usd'), test),
  tokens: (_, test) => matchesAmount(sql.ref('t.total_tokens'), test),
  text: (context, test) => spanTextMatches(context, ['name', 'input', 'output'], test),
  input: (context, test) => spanTextMatches(context, ['input'], test),
  output: (context, test) => spanTextMatches(context, ['output'], test),
  component: isOfComponent,
  rating: (context, test) => hasAnnotation(context, test),
  score: hasScore,
  metadata: hasAttribute,
  has: (context, test) => (test.is === 'word' ? hasProperty(context, test.word) : always),
  id: matchesId,
  trace: matchesId,
}

const always = traceExpression.lit(true)

/** A literal instead of a parameter: otherwise the engines do not use the partial index on failed traces. */
export function hasStatus(status: string): Expression<SqlBool> {
  return traceExpression('t.status', '=', sql.lit(status === 'error' ? 'error' : 'ok'))
}

/** Production is null: nearly all traces are of it. */
export function hasSource(source: string): Expression<SqlBool> {
  return source === 'production' ? traceExpression('t.source', 'is', null) : traceExpression('t.source', '=', source)
}

/**
 * A value is looked up per trace. A pattern is matched once against all values of the facet: the index is ordered by
 * value, and a lookup per trace would read all of it each time.
 */
function facetMatches({ q, workspaceId }: CompileContext, facet: string, test: Test): Expression<SqlBool> {
  const value = facetValue(test)
  const ofFacet = traceExpression
    .selectFrom('trace_facets as v')
    .select('v.trace_id')
    .where('v.workspace_id', '=', workspaceId)
    .where('v.facet', '=', facet)
  if (value !== undefined) {
    return traceExpression.exists(ofFacet.where('v.value', '=', value).whereRef('v.trace_id', '=', 't.id'))
  }
  if (test.is !== 'text') return traceExpression('t.id', 'in', ofFacet)
  return traceExpression('t.id', 'in', ofFacet.where(isLike(q, sql.ref<string>('v.value'), test.pattern)))
}

/** The facet value if the test requires exactly one. */
export function facetValue(test: Test): string | undefined {
  const value = test.is === 'word' ? test.word : test.is === 'text' ? exactText(test.pattern) : undefined
  return value === undefined ? undefined : cutFacet(value)
}

function matchesAmount(amount: Expression<unknown>, test: Test): Expression<SqlBool> {
  if (test.is === 'number') return inNumberRange(amount, test.range)
  if (test.is === 'nanoseconds') return inNanoseconds(amount, test.range)
  return sql<SqlBool>`${amount} is not null`
}

/** Compared as floating point numbers, so that fractions such as 0.5 can be compared with integers. */
function inNumberRange(amount: Expression<unknown>, { from, to }: NumberRange): Expression<SqlBool> {
  const sides: Expression<SqlBool>[] = []
  const number = (value: number) => sql`cast(${value} as double precision)`
  if (from) sides.push(sql<SqlBool>`${amount} ${sql.raw(from.isIncluded ? '>=' : '>')} ${number(from.value)}`)
  if (to) sides.push(sql<SqlBool>`${amount} ${sql.raw(to.isIncluded ? '<=' : '<')} ${number(to.value)}`)
  return sides.length === 0 ? sql<SqlBool>`${amount} is not null` : traceExpression.and(sides)
}

export function inNanoseconds(amount: Expression<unknown>, { from, until }: NanosecondRange): Expression<SqlBool> {
  const sides: Expression<SqlBool>[] = []
  if (from !== undefined) sides.push(sql<SqlBool>`${amount} >= ${from}`)
  if (until !== undefined) sides.push(sql<SqlBool>`${amount} < ${until}`)
  return sides.length === 0 ? sql<SqlBool>`${amount} is not null` : traceExpression.and(sides)
}

function spanTextMatches(
  { q, workspaceId, common }: CompileContext,
  columns: SpanTextColumn[],
  test: Test,
): Expression<SqlBool> {
  if (test.is === 'text') {
    const text = test.pattern
    if (!common.has(text)) return traceExpression('t.id', 'in', spansMatching(q, { workspaceId, text, columns }))
    return traceExpression.exists(perRow(q, spansOfTrace(workspaceId).where(hasText(q, { text, columns }))))
  }
  const spans = spansOfTrace(workspaceId).where(({ or, eb }) =>
    or(columns.map((column) => eb(`s.${column}`, 'is not', null))),
  )
  return traceExpression.exists(spans)
}

function spansOfTrace(workspaceId: string) {
  return traceExpression
    .selectFrom('spans as s')
    .select('s.span_id')
    .where('s.workspace_id', '=', workspaceId)
    .whereRef('s.trace_id', '=', 't.id')
}

/** Matches by name or by id. Deleted components are excluded. */
function isOfComponent({ q, workspaceId }: CompileContext, test: Test): Expression<SqlBool> {
  const active = traceExpression
    .selectFrom('components as k')
    .select('k.id')
    .where('k.workspace_id', '=', workspaceId)
    .where('k.deleted_at', 'is', null)
  if (test.is !== 'text') return traceExpression('t.component_id', 'in', active)
  const hasName = isLike(q, sql.ref<string>('k.name'), test.pattern)
  const id = uuidOf(test)
  const chosen = active.where(({ or, eb }) => or(id === undefined ? [hasName] : [hasName, eb('k.id', '=', id)]))
  return traceExpression('t.component_id', 'in', chosen)
}

function uuidOf(test: Test): string | undefined {
  const text = test.is === 'text' ? exactText(test.pattern) : undefined
  return text !== undefined && isUuid(text) ? text.toLowerCase() : undefined
}

/** Matches the id or the OpenTelemetry trace id. */
function matchesId({ q }: CompileContext, test: Test): Expression<SqlBool> {
  if (test.is !== 'text') return always
  const text = exactText(test.pattern)
  if (text === undefined) {
    const own = isLike(q, sql<string>`cast(t.id as text)`, test.pattern)
    return traceExpression.or([own, isLike(q, sql.ref<string>('t.trace_id'), test.pattern)])
  }
  const id = uuidOf(test)
  const sent = traceExpression('t.trace_id', 'in', [text, text.toLowerCase()])
  return id === undefined ? sent : traceExpression.or([sent, traceExpression('t.id', '=', id)])
}

/** In a run, or outside of runs. */
function hasAnnotation(context: CompileContext, test: Test | { is: 'any' }): Expression<SqlBool> {
  return traceExpression.or([hasRunAnnotation(context, test), hasTraceAnnotation(context, test)])
}

/** Annotations refer to the OpenTelemetry trace id and are active only while their run is. */
function hasRunAnnotation({ q, workspaceId }: CompileContext, test: Test | { is: 'any' }): Expression<SqlBool> {
  const annotations = traceExpression
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
  if (test.is === 'any') return traceExpression.exists(annotations)
  // A search must not reveal ratings to raters of a blind run.
  const open = annotations.where(isOpenRating(workspaceId))
  if (test.is !== 'text') return traceExpression.exists(open.where('a.rating', 'is not', null))
  return traceExpression.exists(open.where(isLike(q, sql.ref<string | null>('a.rating'), test.pattern)))
}

/** Ratings of traces that are part of a blind run are not searched, because its raters must not know them. */
function hasTraceAnnotation({ q, workspaceId }: CompileContext, test: Test | { is: 'any' }): Expression<SqlBool> {
  const annotations = traceExpression
    .selectFrom('trace_annotations as o')
    .select('o.id')
    .where('o.workspace_id', '=', workspaceId)
    .whereRef('o.trace_id', '=', 't.id')
  if (test.is === 'any') return traceExpression.exists(annotations)
  const open = annotations.where(isOutsideBlindRuns(workspaceId))
  if (test.is !== 'text') return traceExpression.exists(open.where('o.rating', 'is not', null))
  return traceExpression.exists(open.where(isLike(q, sql.ref<string | null>('o.rating'), test.pattern)))
}

/**
 * Any visible score of this evaluator. Computed once for all traces, because few traces have scores in
 * most applications.
 */
function hasScore({ workspaceId }: CompileContext, test: Test, evaluator: string): Expression<SqlBool> {
  const scores = visibleScores(workspaceId).where('x.evaluator', '=', evaluator).select(scoredTrace.as('trace_ref'))
  return traceExpression('t.trace_id', 'in', scores.where(matchesAmount(sql.ref('x.score'), test)))
}

/** An attribute of a span or of its resource, by exact key. There are few resources, so they are matched first. */
function hasAttribute({ q, workspaceId }: CompileContext, test: Test, key: string): Expression<SqlBool> {
  const resourceScopes = traceExpression
    .selectFrom('resource_scopes as r')
    .select('r.hash')
    .where('r.workspace_id', '=', workspaceId)
    .where(jsonMemberMatches(q, { json: sql.ref<string>('r.resource'), key, test }))
  const spans = spansOfTrace(workspaceId).where(({ or, eb }) =>
    or([
      eb('s.resource_scope', 'in', resourceScopes),
      jsonMemberMatches(q, { json: sql.ref<string>('s.attributes'), key, test }),
      movedAttributeMatches(q, { key, test, column: 's.input', from: 's.input_from' }),
      movedAttributeMatches(q, { key, test, column: 's.output', from: 's.output_from' }),
    ]),
  )
  return traceExpression.exists(perRow(q, spans))
}

function jsonMemberMatches(
  q: Queries,
  { json, key, test }: { json: Expression<string>; key: string; test: Test },
): Expression<SqlBool> {
  const [text, number] = [jsonText(q, json, key), jsonNumber(q, json, key)]
  if (test.is === 'number') return matchesAmount(number, test)
  if (test.is !== 'text')
    return traceExpression.or([sql<SqlBool>`${text} is not null`, sql<SqlBool>`${number} is not null`])
  const isText = isLike(q, text, test.pattern)
  if (test.number === undefined) return isText
  const bound = { value: test.number, isIncluded: true }
  return traceExpression.or([isText, inNumberRange(number, { from: bound, to: bound })])
}

/** An attribute that was moved unchanged to the input or the output is not stored twice. */
function movedAttributeMatches(
  q: Queries,
  { key, test, column, from }: { key: string; test: Test; column: string; from: string },
): Expression<SqlBool> {
  const isMoved = sql<SqlBool>`${sql.ref(from)} = ${key}`
  if (test.is === 'text') return traceExpression.and([isMoved, isLike(q, sql.ref<string | null>(column), test.pattern)])
  return test.is === 'present' ? isMoved : traceExpression.lit(false)
}

function hasProperty(context: CompileContext, word: string): Expression<SqlBool> {
  if (word === 'annotation') return hasAnnotation(context, { is: 'any' })
  if (word === 'error') return traceExpression('t.error_count', '>', 0)
  if (word === 'cost') return traceExpression('t.cost_usd', 'is not', null)
  return spanTextMatches(context, [word === 'input' ? 'input' : 'output'], { is: 'present' })
}
