/** Traces, known by their trace id: one that is stored stays as it is. */
import type { NewTrace } from 'touchstone-sdk'
import type { OtlpAttribute, OtlpSpan, OtlpTraceRecord, RunCase, TraceRecord } from './import-record.ts'
import { type ImportTarget, requireStored, runKey, sendInHalves, unlessMissing } from './import-target.ts'

const LOOKUPS_AT_ONCE = 8

type AnyTrace = TraceRecord | OtlpTraceRecord

function traceIdOf(record: AnyTrace): string {
  return record.kind === 'trace' ? record.trace.traceId : record.traceId
}

/** Traces of one form. Those of a request are stored together or not at all, so that an interrupted import leaves no half traces. */
export async function storeTraces(target: ImportTarget, records: AnyTrace[]): Promise<void> {
  const missing = await withoutStored(target, records)
  const onRejected = (record: AnyTrace, reason: string) =>
    target.tally.notTaken({ of: 'traces', what: traceIdOf(record), reason })
  const native = missing.filter((record) => record.kind === 'trace')
  const otlp = missing.filter((record) => record.kind === 'otlpTrace')
  await sendInHalves(native, (batch) => sendNative(target, batch), onRejected)
  await sendInHalves(otlp, (batch) => sendOtlp(target, batch, onRejected), onRejected)
}

/** A trace that the source has twice is stored once, too. */
async function withoutStored(target: ImportTarget, records: AnyTrace[]): Promise<AnyTrace[]> {
  const { client, signal, tally, traceIds } = target
  const unique = new Map<string, AnyTrace>()
  for (const record of records) {
    const id = traceIdOf(record)
    if (!traceIds.has(id) && !unique.has(id)) unique.set(id, record)
    else {
      tally.alreadyThere('traces')
      if (traceIds.has(id)) await linkStored(target, record)
    }
  }
  for (const id of unique.keys()) traceIds.add(id)
  const missing: AnyTrace[] = []
  const open = [...unique.values()]
  for (let at = 0; at < open.length; at += LOOKUPS_AT_ONCE) {
    const some = open.slice(at, at + LOOKUPS_AT_ONCE)
    const stored = await Promise.all(
      some.map((record) => unlessMissing(client.traces.get(traceIdOf(record), { spans: 'none' }, { signal }))),
    )
    for (const [index, record] of some.entries()) {
      if (!stored[index]) missing.push(record)
      else {
        tally.alreadyThere('traces')
        await linkStored(target, record)
      }
    }
  }
  return missing
}

/** A trace may have arrived before, outside of the run: by instrumentation, or by an import without the run. */
async function linkStored(
  { client, component, runs, signal, isDryRun }: ImportTarget,
  record: AnyTrace,
): Promise<void> {
  if (!record.of || isDryRun || component.id === undefined) return
  const run = requireStored(runs, runKey(record.of.dataset, record.of.run), 'run')
  if (run.id === undefined) return
  if (!run.traceIds) {
    run.traceIds = new Set()
    for await (const { traceId } of client.runs.traces(component.id, run.id, {}, { signal })) run.traceIds.add(traceId)
  }
  const id = traceIdOf(record)
  if (run.traceIds.has(id)) return
  await client.runs.addTraces(component.id, run.id, [id], { signal })
  run.traceIds.add(id)
}

async function sendNative({ client, component, signal, tally, ...target }: ImportTarget, batch: TraceRecord[]) {
  if (!target.isDryRun && component.id !== undefined) {
    const traces = batch.map(({ trace, of }): NewTrace => ({ ...trace, ...(of && linksOf(target, of)) }))
    const params = { componentId: component.id }
    await client.request('POST', '/components/{componentId}/traces', { params, body: { traces }, signal })
  }
  tally.created('traces', batch.length)
}

function linksOf({ datasets, runs }: Pick<ImportTarget, 'datasets' | 'runs'>, of: RunCase) {
  const { id: run } = requireStored(runs, runKey(of.dataset, of.run), 'run')
  const { items } = requireStored(datasets, of.dataset, 'dataset')
  // An item that the server rejected is missing; the trace is then found by its input, if at all.
  const itemId = of.itemKey === undefined ? undefined : items.get(of.itemKey)
  return { dataset: of.dataset, ...(run !== undefined && { run }), ...(itemId && { itemId }) }
}

interface Rejected {
  rejectedSpans?: number | string
  errorMessage?: string
}

async function sendOtlp(
  target: ImportTarget,
  batch: OtlpTraceRecord[],
  onRejected: (record: OtlpTraceRecord, reason: string) => void,
): Promise<void> {
  const { client, component, signal, tally } = target
  if (target.isDryRun || component.id === undefined) {
    tally.created('traces', batch.length)
    return
  }
  const body = { resourceSpans: batch.map((record) => resourceSpansOf(target, record)) }
  const { partialSuccess }: { partialSuccess?: Rejected } = Object(
    await client.request('POST', '/traces', { body, signal }),
  )
  const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
  if (rejected === 0) {
    tally.created('traces', batch.length)
    return
  }
  const [first, ...others] = batch
  if (!first) return
  if (others.length > 0) {
    // The response does not name the spans. Sending the good ones again changes nothing.
    for (const record of batch) await sendOtlp(target, [record], onRejected)
    return
  }
  const reason = `the server rejected it: ${partialSuccess?.errorMessage ?? 'no reason given'}`
  if (rejected >= first.spans.length) return onRejected(first, reason)
  tally.created('traces')
  tally.notTaken({ of: 'other', what: `spans of the trace ${first.traceId}`, reason, count: rejected })
}

interface ResourceSpans {
  resource: { attributes: OtlpAttribute[] }
  scopeSpans: { scope: { name: string }; spans: OtlpSpan[] }[]
}

function resourceSpansOf(
  { component, ...target }: ImportTarget,
  { spans, resource = [], of }: OtlpTraceRecord,
): ResourceSpans {
  const links = of ? linksOf(target, of) : undefined
  const own = {
    'touchstone.component': component.name,
    'touchstone.dataset': links?.dataset,
    'touchstone.run': links?.run,
    'touchstone.item.id': links?.itemId,
  }
  const attributes = Object.entries(own).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: { stringValue: value } }],
  )
  const scope = { name: 'touchstone-import' }
  return { resource: { attributes: [...resource, ...attributes] }, scopeSpans: [{ scope, spans }] }
}
