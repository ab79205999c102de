import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import { selectScoped } from '../../storage/query-building.ts'
import { bytesOf, tracesWithRoots } from '../trace-queries.ts'

/** Traces without their spans, with the size of their inputs and outputs in bytes, by the ids of the senders. */
export async function listTraceHeads(q: Queries, workspaceId: string, traceIds: readonly string[]) {
  return tracesWithRoots(q, workspaceId, traceIds)
    .select([
      't.id',
      't.trace_id as traceId',
      't.status',
      't.total_tokens as totalTokens',
      't.cost_usd as costUsd',
      't.span_count as spanCount',
      sql<number | null>`t.end_ns - t.start_ns`.as('durationNs'),
      bytesOf('root.input', 'root.output').as('bytes'),
    ])
    .execute()
}

export type TraceHead = Awaited<ReturnType<typeof listTraceHeads>>[number]

type OfTraces = { workspaceId: string; traceDbIds: readonly string[] }

/**
 * The spans that are steps, without their content. In order of their ids, which is the key for paging through a large trace: in order of
 * time, each page would sort all spans again.
 */
export async function listSpanSketches(
  q: Queries,
  { workspaceId, traceDbIds }: OfTraces,
  { kinds, withCost, after, limit }: SketchPage,
) {
  return selectScoped(q, 'spans', { workspace_id: workspaceId })
    .select([
      'trace_id as traceDbId',
      'span_id as id',
      'parent_span_id as parentId',
      'kind',
      'name',
      'position',
      // A double is not precise enough for nanoseconds.
      sql<number>`start_ns / 1000`.as('startUs'),
      sql<number>`start_ns % 1000`.as('startRestNs'),
      bytesOf('input', 'output', 'attributes').as('bytes'),
    ])
    .where('trace_id', 'in', traceDbIds)
    .where('span_id', '>', after)
    .where(({ or, eb }) => or([eb('kind', 'in', kinds), ...(withCost ? [eb('cost_usd', 'is not', null)] : [])]))
    .orderBy('trace_id')
    .orderBy('span_id')
    .limit(limit)
    .execute()
}

export type SketchPage = { kinds: readonly string[]; withCost: boolean; after: string; limit: number }
export type SpanSketch = Awaited<ReturnType<typeof listSpanSketches>>[number]

/** Some spans of one trace, or all spans of several traces. */
export type SpansWanted = OfTraces & { spanIds?: readonly string[] | undefined }

/** The texts of steps for evaluators. Only the needed columns are read, because model inputs are most of the data of a trace. */
export async function listStepTexts(q: Queries, wanted: SpansWanted) {
  return spansOf(q, wanted)
    .select(['trace_id as traceDbId', 'span_id as id', 'status', 'output_from as outputFrom'])
    .select([
      sql<string | null>`case when kind in ('tool', 'retriever') then input end`.as('input'),
      sql<string | null>`case when kind = 'llm' then output end`.as('output'),
    ])
    .execute()
}

export type StepTexts = Awaited<ReturnType<typeof listStepTexts>>[number]

/** The columns of steps for the analysis, which include those for evaluators. */
export async function listStepFacts(q: Queries, wanted: SpansWanted) {
  return spansOf(q, wanted)
    .select([
      'trace_id as traceDbId',
      'span_id as id',
      'status',
      'model',
      'total_tokens as totalTokens',
      'cost_usd as costUsd',
      'covered_usage as covered',
      'input_from as inputFrom',
      'output_from as outputFrom',
    ])
    .select([
      sql<string | null>`case when status = 'error' then substr(status_message, 1, 1000) end`.as('errorMessage'),
      sql<string | null>`case when kind in ('llm', 'tool', 'retriever') then input end`.as('input'),
      sql<string | null>`case when kind = 'llm' then output end`.as('output'),
      sql<string | null>`case when kind = 'llm' then attributes end`.as('attributes'),
    ])
    .execute()
}

export type StepFacts = Awaited<ReturnType<typeof listStepFacts>>[number]

function spansOf(q: Queries, { workspaceId, traceDbIds, spanIds }: SpansWanted) {
  const spans = q.selectFrom('spans').where('workspace_id', '=', workspaceId).where('trace_id', 'in', traceDbIds)
  return spanIds === undefined ? spans : spans.where(inList(q, 'span_id', spanIds))
}
