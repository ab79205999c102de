import { timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import type { TestApp } from '../harness/test-app.ts'

type SpanText = { input?: string | null; output?: string | null }

export type StoredTrace = { id: string; traceId: string }

const newId = idGenerator({ now: () => Date.now() })

/** A sender's id that nothing else has. */
export function newTraceId(): string {
  return newId().replaceAll('-', '')
}

/** Puts a trace into the tables, past the API: what tests of datasets and runs need of one, and nothing else. */
export async function storeTrace(
  { storage, clock }: Pick<TestApp, 'storage' | 'clock'>,
  workspaceId: string,
  {
    traceId = newTraceId(),
    root,
    first,
    last,
  }: { traceId?: string; root?: SpanText; first?: SpanText; last?: SpanText },
): Promise<StoredTrace> {
  const id = newId()
  const spans = Object.entries({ root, first, last }).flatMap(([name, texts]) => (texts ? [{ name, texts }] : []))
  const spanIdOf = (name: string) => (spans.some((span) => span.name === name) ? name : null)
  await storage.transaction(async (tx) => {
    await tx
      .insertInto('traces')
      .values({
        workspace_id: workspaceId,
        id,
        trace_id: traceId,
        name: 'stored',
        named_by: 'root',
        status: 'ok',
        component_id: null,
        service: null,
        environment: null,
        session_id: null,
        user_id: null,
        tags: '[]',
        links: null,
        start_ns: 1_700_000_000_000_000_000n,
        end_ns: 1_700_000_001_000_000_000n,
        span_count: spans.length,
        error_count: 0,
        total_tokens: null,
        cost_usd: null,
        root_span_id: spanIdOf('root'),
        root_status: null,
        root_ns: null,
        first_llm_span_id: spanIdOf('first'),
        first_llm_ns: null,
        last_llm_span_id: spanIdOf('last'),
        last_llm_ns: null,
        created_at: timestamp(clock.now()),
        deleted_at: null,
      })
      .execute()
    for (const { name, texts } of spans) {
      await tx
        .insertInto('spans')
        .values({
          workspace_id: workspaceId,
          trace_id: id,
          span_id: name,
          parent_span_id: null,
          name,
          sent_name: null,
          kind: name === 'root' ? 'agent' : 'llm',
          otel_kind: 1,
          start_ns: 1_700_000_000_000_000_000n,
          end_ns: null,
          status: 'ok',
          status_message: null,
          model: null,
          provider: null,
          input_tokens: null,
          output_tokens: null,
          total_tokens: null,
          cost_usd: null,
          cost_basis: null,
          input: texts.input ?? null,
          input_from: null,
          output: texts.output ?? null,
          output_from: null,
          attributes: '{}',
          events: null,
          links: null,
          notes: null,
          resource_scope: '',
          covered_usage: 0,
          is_orphan: 0,
        })
        .execute()
    }
  })
  return { id, traceId }
}
