import type { ImportRecord, ItemRecord, OtlpTraceRecord, TraceRecord } from './import-record.ts'
import type { ImportTarget } from './import-target.ts'
import { storeDataset, storeItems, storeRun } from './store-datasets.ts'
import { storeAnnotation, storeComment } from './store-feedback.ts'
import { storePrompt, storePromptLabel, storePromptVersion } from './store-prompts.ts'
import { storeEvaluation } from './store-scores.ts'
import { storeTraces } from './store-traces.ts'

const RECORDS_PER_REQUEST = 200
const CHARACTERS_PER_REQUEST = 4_000_000
const SPANS_PER_REQUEST = 10_000

type Batched = ItemRecord | TraceRecord | OtlpTraceRecord

/** Stores the records of a source in their order. Neighbors of the same kind are sent together. */
export async function storeRecords(
  target: ImportTarget,
  records: AsyncIterable<ImportRecord>,
  onStored: () => void,
): Promise<void> {
  const batch = startBatch(async (entries) => {
    const [first] = entries
    if (first?.kind === 'item') await storeItems(target, entries.filter(isItem))
    else await storeTraces(target, entries.filter(isTrace))
    onStored()
  })
  for await (const record of records) {
    target.signal.throwIfAborted()
    if (record.kind === 'item' || record.kind === 'trace' || record.kind === 'otlpTrace') {
      await batch.add(record)
      continue
    }
    if (record.kind === 'notTaken') target.tally.notTaken(record)
    else if (record.kind === 'suggestedEvaluator') target.tally.suggest(record.evaluator)
    else {
      await batch.flush()
      await storeSingle(target, record)
      onStored()
    }
  }
  await batch.flush()
}

type Single = Exclude<ImportRecord, Batched | { kind: 'notTaken' | 'suggestedEvaluator' }>

function storeSingle(target: ImportTarget, record: Single): Promise<void> {
  switch (record.kind) {
    case 'dataset':
      return storeDataset(target, record)
    case 'run':
      return storeRun(target, record)
    case 'evaluation':
      return storeEvaluation(target, record)
    case 'annotation':
      return storeAnnotation(target, record)
    case 'comment':
      return storeComment(target, record)
    case 'prompt':
      return storePrompt(target, record)
    case 'promptVersion':
      return storePromptVersion(target, record)
    case 'promptLabel':
      return storePromptLabel(target, record)
  }
}

function isItem(record: Batched): record is ItemRecord {
  return record.kind === 'item'
}

function isTrace(record: Batched): record is TraceRecord | OtlpTraceRecord {
  return record.kind !== 'item'
}

/** Collects what fits into one request: records of the same kind and dataset. */
function startBatch(send: (entries: Batched[]) => Promise<void>) {
  let entries: Batched[] = []
  let size = { characters: 0, spans: 0 }
  const flush = async () => {
    const full = entries
    entries = []
    size = { characters: 0, spans: 0 }
    if (full.length > 0) await send(full)
  }
  return {
    flush,
    async add(record: Batched) {
      const characters = JSON.stringify(record).length
      const spans = spansOf(record)
      const [first] = entries
      const fits =
        entries.length < RECORDS_PER_REQUEST &&
        size.characters + characters <= CHARACTERS_PER_REQUEST &&
        size.spans + spans <= SPANS_PER_REQUEST &&
        (first === undefined || groupOf(first) === groupOf(record))
      if (!fits) await flush()
      entries.push(record)
      size = { characters: size.characters + characters, spans: size.spans + spans }
    },
  }
}

function spansOf(record: Batched): number {
  if (record.kind === 'item') return 0
  return record.kind === 'trace' ? (record.trace.spans?.length ?? 0) + 1 : record.spans.length
}

function groupOf(record: Batched): string {
  return record.kind === 'item' ? `item ${record.dataset}` : record.kind
}
