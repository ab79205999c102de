/** Imports from Langfuse, versions 3 and 4: datasets, dataset runs (experiments) with traces and scores, other traces, scores, comments, prompts. */
import { CliError } from '../../cli-error.ts'
import { EXIT } from '../../exit-code-values.ts'
import { distinctNames } from '../distinct-names.ts'
import type { ImportedScore, ImportRecord, RunCase } from '../import-record.ts'
import { contentOf, unwrapOnlyText } from '../otlp-values.ts'
import type { ImportFlags, ImportSource } from '../run-import.ts'
import { runMetadata } from '../run-metadata.ts'
import { openSourceServer } from '../source-server.ts'
import { type Fields, isFields, textOf } from '../source-values.ts'
import { type LangfuseApi, langfuseApi } from './langfuse-api.ts'
import { readPrompts } from './langfuse-prompts.ts'
import type { LangfuseRun, LangfuseScore } from './langfuse-version.ts'
import { LANGFUSE, langfuseComment, langfuseScore } from './map-langfuse-score.ts'
import { langfuseTrace, spanIdOf, traceIdOf } from './map-langfuse-trace.ts'

export interface LangfuseFlags extends ImportFlags {
  since?: string
}

export const langfuseSource: ImportSource<LangfuseFlags> = {
  name: 'langfuse',
  async *read({ context, flags, args: [url] }) {
    const { LANGFUSE_PUBLIC_KEY: publicKey, LANGFUSE_SECRET_KEY: secretKey } = context.env
    const keyHint = 'Set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY to the keys of the project.'
    if (!publicKey || !secretKey) throw new CliError(keyHint, EXIT.authentication)
    const credentials = Buffer.from(`${publicKey}:${secretKey}`).toString('base64')
    for (const secret of [secretKey, credentials]) context.terminal.hide(secret)
    const authorization = `Basic ${credentials}`
    const server = openSourceServer(context, { name: LANGFUSE, url, authorization, keyHint })
    yield* readProject(await langfuseApi(server), flags.since)
  },
}

async function* readProject(api: LangfuseApi, since: string | undefined): AsyncGenerator<ImportRecord> {
  const datasets: { id: string; name: string }[] = []
  for await (const { id, name, description } of api.datasets()) {
    datasets.push({ id: String(id), name: String(name) })
    const about = textOf(description)
    yield { kind: 'dataset', name: String(name), ...(about !== undefined && { description: about }) }
    for await (const item of api.items(String(name))) yield itemOf(String(name), item)
  }
  const cases = new Map<string, RunCase>()
  yield* readRuns(api, datasets, cases)
  for await (const trace of api.traces(since)) {
    const record = langfuseTrace(trace, cases.get(traceIdOf(trace.id)))
    if (record) yield record
    else yield { kind: 'notTaken', of: 'traces', what: trace.id, reason: 'it has no observations' }
  }
  yield* readScores(api, cases)
  yield* readComments(api)
  yield* readPrompts(api)
}

function itemOf(dataset: string, item: Fields): ImportRecord {
  const { id, status, input, expectedOutput, metadata } = item
  const key = String(id)
  if (status === 'ARCHIVED')
    return { kind: 'notTaken', of: 'items', what: `${dataset}: ${key}`, reason: 'it is archived' }
  const expected = unwrapOnlyText(contentOf(expectedOutput))
  const fields = contentOf(metadata)
  return {
    kind: 'item',
    dataset,
    key,
    input: unwrapOnlyText(input),
    ...(expected !== undefined && { expected }),
    ...(fields !== undefined && { metadata: isFields(fields) ? fields : { metadata: fields } }),
  }
}

async function* readRuns(
  api: LangfuseApi,
  datasets: { id: string; name: string }[],
  cases: Map<string, RunCase>,
): AsyncGenerator<ImportRecord> {
  const nameOf = new Map(datasets.map(({ id, name }) => [id, name]))
  const byDataset = new Map<string, LangfuseRun[]>()
  for await (const run of api.runs(datasets)) {
    const dataset = nameOf.get(run.datasetId ?? '') ?? `${run.name} data`
    byDataset.set(dataset, [...(byDataset.get(dataset) ?? []), run])
  }
  for (const [dataset, runs] of byDataset) {
    yield { kind: 'dataset', name: dataset }
    // Oldest first: the newest run of the source is then the newest one here.
    for (const [id, name] of distinctNames(runs)) {
      const run = runs.find((one) => one.id === id)
      if (!run) continue
      if (!nameOf.has(run.datasetId ?? '')) yield* itemsOfRun(dataset, run)
      yield { kind: 'run', dataset, name, metadata: runMetadata(run.metadata) }
      for (const { itemId, traceId } of run.cases) {
        const key = traceIdOf(traceId)
        const other = cases.get(key)
        if (!other) cases.set(key, { dataset, run: name, itemKey: itemId })
        else
          yield {
            kind: 'notTaken',
            of: 'other',
            what: `${traceId} in the run ${name}`,
            reason: `it is in the run ${other.run}`,
          }
      }
    }
  }
}

/** The items of an experiment on data of the program, which is no dataset of Langfuse. */
function* itemsOfRun(dataset: string, { cases }: LangfuseRun): Generator<ImportRecord> {
  for (const { itemId, input, expected } of cases) {
    const answer = unwrapOnlyText(contentOf(expected))
    const record = { kind: 'item', dataset, key: itemId, input: unwrapOnlyText(contentOf(input) ?? itemId) } as const
    yield { ...record, ...(answer !== undefined && { expected: answer }) }
  }
}

async function* readScores(api: LangfuseApi, cases: Map<string, RunCase>): AsyncGenerator<ImportRecord> {
  const ofRuns = new Map<string, { of: RunCase; scores: Map<string, ImportedScore> }>()
  for await (const score of api.scores()) {
    const of = cases.get(traceIdOf(score.traceId ?? ''))
    if (score.traceId === undefined || of === undefined || score.dataType === 'CORRECTION') {
      yield feedbackOf(score)
      continue
    }
    const runKey = JSON.stringify([of.dataset, of.run])
    const run = ofRuns.get(runKey) ?? { of, scores: new Map<string, ImportedScore>() }
    ofRuns.set(runKey, run)
    const key = JSON.stringify([score.traceId, score.name])
    const what = `score ${score.name} of ${score.traceId}`
    if (run.scores.has(key))
      yield { kind: 'notTaken', of: 'scores', what, reason: 'the trace has another of this name' }
    else run.scores.set(key, langfuseScore(score.traceId, score))
  }
  for (const { of, scores } of ofRuns.values()) {
    const evaluators = [...new Set([...scores.values()].map(({ evaluator }) => evaluator))].map((name) => ({ name }))
    const { dataset, run } = of
    yield { kind: 'evaluation', dataset, run, name: `Scores of ${LANGFUSE}`, evaluators, scores: [...scores.values()] }
  }
}

/** Scores outside of runs. */
function feedbackOf(score: LangfuseScore): ImportRecord {
  const { name, traceId, observationId, other, dataType, value } = score
  if (traceId === undefined) {
    const what = `score ${name} of ${other ?? 'nothing'}`
    return { kind: 'notTaken', of: 'scores', what, reason: 'Touchstone has scores of traces only' }
  }
  const id = traceIdOf(traceId)
  if (dataType === 'CORRECTION') return { kind: 'annotation', traceId: id, correctedOutput: String(value ?? '') }
  const span = observationId === undefined ? {} : { spanId: spanIdOf(observationId) }
  return { kind: 'comment', traceId: id, text: langfuseComment(score), ...span }
}

async function* readComments(api: LangfuseApi): AsyncGenerator<ImportRecord> {
  for await (const { objectType, objectId, content, authorUserId, createdAt } of api.comments()) {
    const id = String(objectId)
    const isOfSpan = objectType === 'OBSERVATION'
    const traceId = isOfSpan ? await api.traceOfObservation(id) : objectType === 'TRACE' ? id : undefined
    if (traceId === undefined) {
      const what = `comment on ${String(objectType).toLowerCase()} ${id}`
      yield { kind: 'notTaken', of: 'comments', what, reason: 'Touchstone has comments on traces and spans only' }
      continue
    }
    const origin = [textOf(authorUserId), LANGFUSE, textOf(createdAt)].filter((part) => part !== undefined).join(', ')
    const span = isOfSpan ? { spanId: spanIdOf(id) } : {}
    yield { kind: 'comment', traceId: traceIdOf(traceId), text: `${content}\n(${origin})`, ...span }
  }
}
