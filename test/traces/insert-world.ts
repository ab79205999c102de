/** Stores a world of `query-world.ts` as rows. */
import { timestamp } from '../../src/base/clock.ts'
import type { Queries } from '../../src/storage/db.ts'
import { facetsOfSpans, facetsOfTrace } from '../../src/traces/storing/facet-queries.ts'
import { RollupChanges } from '../../src/traces/storing/rollup-queries.ts'
import { addPrompt, writePrompts } from '../../src/traces/storing/trace-prompts.ts'
import type { World, WorldSpan, WorldTrace } from './query-world.ts'

function otherSource(source: WorldTrace['source']) {
  return source === 'production' ? null : source
}

function promptsOf(names: readonly string[]) {
  return names.reduce<ReturnType<typeof addPrompt>>(
    (known, name) => addPrompt(known, { name, label: null, source: null }),
    [],
  )
}

const AT = timestamp(1_763_200_000_000)

export async function insertWorld(tx: Queries, { workspaceId, components, traces }: World): Promise<void> {
  const of = { workspace_id: workspaceId }
  await tx
    .insertInto('workspaces')
    .values({ id: workspaceId, name: 'w', description: null, created_at: AT, updated_at: AT, deleted_at: null })
    .execute()
  for (const { id, name, isDeleted } of components) {
    const deleted_at = isDeleted ? AT : null
    await tx
      .insertInto('components')
      .values({ ...of, id, name, description: null, created_at: AT, updated_at: AT, deleted_at })
      .execute()
  }
  const places = await insertPlaces(tx, { workspaceId, componentId: components[0]?.id ?? '' })
  const rollups = new RollupChanges()
  for (const one of traces) {
    await insertTrace(
      tx,
      { workspaceId, componentId: one.component === null ? null : (components[one.component]?.id ?? null) },
      one,
    )
    await insertJudgements(tx, { workspaceId, places }, one)
    if (!one.isDeleted)
      rollups.add(
        {
          ...one,
          componentId: one.component === null ? null : (components[one.component]?.id ?? null),
          totalTokens: one.tokens,
          costUsd: one.cost,
          source: otherSource(one.source),
          prompts: promptsOf(one.prompts),
        },
        1,
      )
  }
  await rollups.write(tx, workspaceId)
}

type Places = Record<'active' | 'deleted', { runId: string; evaluationId: string }>

/** A run and an evaluation that are there, and ones that are not: their dataset was deleted. */
async function insertPlaces(
  tx: Queries,
  { workspaceId, componentId }: { workspaceId: string; componentId: string },
): Promise<Places> {
  const idFor = (digit: number) => `${workspaceId.slice(0, -1)}${digit}`
  const of = { workspace_id: workspaceId, component_id: componentId, created_at: AT }
  for (const [place, deleted_at] of [null, AT].entries()) {
    const id = idFor(place)
    await tx
      .insertInto('datasets')
      .values({ ...of, id, name: 'd', description: null, item_count: 0, deleted_at })
      .execute()
    await tx
      .insertInto('runs')
      .values({ ...of, id, dataset_id: id, name: null, trace_count: 0, deleted_at: null })
      .execute()
    await tx
      .insertInto('evaluations')
      .values({
        ...of,
        id,
        dataset_id: id,
        run_id: null,
        name: null,
        status: 'completed',
        error: null,
        config: '{}',
        cases_total: 0,
        cases_done: 0,
        cases_failed: 0,
        cases_skipped: 0,
        results: null,
        started_at: null,
        completed_at: null,
        updated_at: AT,
      })
      .execute()
  }
  return {
    active: { runId: idFor(0), evaluationId: idFor(0) },
    deleted: { runId: idFor(1), evaluationId: idFor(1) },
  }
}

async function insertTrace(
  tx: Queries,
  of: { workspaceId: string; componentId: string | null },
  one: WorldTrace,
): Promise<void> {
  const { workspaceId, componentId } = of
  await tx
    .insertInto('traces')
    .values({
      workspace_id: workspaceId,
      id: one.id,
      trace_id: one.traceId,
      name: one.spans[0]?.name ?? null,
      named_by: 'root',
      status: one.status,
      component_id: componentId,
      service: one.service,
      environment: one.environment,
      session_id: one.sessionId,
      user_id: one.userId,
      tags: JSON.stringify(one.tags),
      links: null,
      start_ns: one.startNs,
      end_ns: one.durationNs === null ? null : one.startNs + one.durationNs,
      span_count: one.spans.length,
      error_count: one.errorCount,
      total_tokens: one.tokens,
      cost_usd: one.cost,
      root_span_id: null,
      root_status: null,
      root_ns: null,
      first_llm_span_id: null,
      first_llm_ns: null,
      last_llm_span_id: null,
      last_llm_ns: null,
      created_at: AT,
      deleted_at: one.isDeleted ? AT : null,
      source: otherSource(one.source),
      prompts: writePrompts(promptsOf(one.prompts)),
    })
    .execute()
  for (const [place, own] of one.spans.entries())
    await insertSpan(tx, { workspaceId, traceId: one.id, startNs: one.startNs, place }, own)
  const facets = [
    ...facetsOfSpans(one.spans),
    ...facetsOfTrace({
      ...one,
      componentId: null,
      links: {},
      source: otherSource(one.source),
      prompts: promptsOf(one.prompts),
    }),
  ]
  await tx
    .insertInto('trace_facets')
    .values(facets.map(([facet, value]) => ({ workspace_id: workspaceId, facet, value, trace_id: one.id })))
    .onConflict((known) => known.doNothing())
    .execute()
}

type OfTrace = { workspaceId: string; traceId: string; startNs: bigint; place: number }

async function insertSpan(
  tx: Queries,
  { workspaceId, traceId, startNs, place }: OfTrace,
  own: WorldSpan,
): Promise<void> {
  const resource = json(own.resource)
  await tx
    .insertInto('resource_scopes')
    .values({ workspace_id: workspaceId, hash: resource, resource, scope: '{}', used_on: '2026-11-15' })
    .onConflict((known) => known.doNothing())
    .execute()
  await tx
    .insertInto('spans')
    .values({
      workspace_id: workspaceId,
      trace_id: traceId,
      span_id: String(place).padStart(16, '0'),
      parent_span_id: null,
      name: own.name,
      sent_name: null,
      kind: own.kind,
      otel_kind: 1,
      start_ns: startNs,
      end_ns: null,
      status: 'unset',
      status_message: null,
      model: own.model,
      provider: own.provider,
      input_tokens: null,
      output_tokens: null,
      total_tokens: null,
      cost_usd: null,
      cost_basis: null,
      input: own.input,
      input_from: own.input === null ? null : own.inputFrom,
      output: own.output,
      output_from: null,
      attributes: json(own.attributes),
      events: null,
      links: null,
      notes: null,
      resource_scope: resource,
      covered_usage: 0,
      is_orphan: 0,
    })
    .execute()
}

/** Not by way of an object: `__proto__` is a key like any other. */
function json(entries: [string, unknown][]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`
}

async function insertJudgements(
  tx: Queries,
  { workspaceId, places }: { workspaceId: string; places: Places },
  one: WorldTrace,
): Promise<void> {
  const of = { workspace_id: workspaceId, created_at: AT }
  for (const [place, { rating, isActive, isOutside }] of one.annotations.entries()) {
    const id = `${one.id.slice(0, -1)}${place}`
    if (isOutside) {
      const outside = { ...of, id, trace_id: one.id, user_id: id, rating, updated_at: AT }
      await tx.insertInto('trace_annotations').values(outside).execute()
      continue
    }
    const run_id = places[isActive ? 'active' : 'deleted'].runId
    await tx
      .insertInto('annotations')
      .values({
        ...of,
        id,
        run_id,
        trace_ref: one.traceId,
        given_ref: null,
        user_id: id,
        rating,
        comment: null,
        updated_at: AT,
      })
      .execute()
  }
  for (const { evaluator, score, isActive } of one.scores) {
    const evaluation_id = places[isActive ? 'active' : 'deleted'].evaluationId
    const state = score === null ? ('failed' as const) : ('scored' as const)
    await tx
      .insertInto('evaluation_scores')
      .values({
        ...of,
        evaluation_id,
        case_ref: one.traceId,
        evaluator,
        repetition: 1,
        state,
        score,
        label: null,
        passed: null,
        reason: null,
      })
      .execute()
  }
}
