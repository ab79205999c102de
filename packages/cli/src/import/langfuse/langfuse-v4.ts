import type { SourceServer } from '../source-server.ts'
import { type Fields, fieldsOf, textOf } from '../source-values.ts'
import { type LangfuseRun, type LangfuseScore, type LangfuseVersion, readCursor } from './langfuse-version.ts'

const OBSERVATIONS = '/api/public/v2/observations'
const ALL_FIELDS = 'core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context'
/** Longer values of metadata are cut unless they are asked for by key. */
const METADATA_LENGTH = 200
export const BEGINNING = '1970-01-01T00:00:00Z'

export function langfuseV4(server: SourceServer): LangfuseVersion {
  async function readTrace(traceId: string): Promise<Fields[]> {
    const query = { traceId, fields: ALL_FIELDS, limit: 1000 }
    const observations = await collect(readCursor(server, OBSERVATIONS, query))
    const cut = new Set(observations.flatMap(({ metadata }) => cutKeys(metadata)))
    if (cut.size === 0) return observations
    return collect(readCursor(server, OBSERVATIONS, { ...query, expandMetadata: [...cut].join(',') }))
  }

  return {
    // Traces are found by all of their observations: a trace whose root never arrived has no other trace of it.
    async *traces(since) {
      const seen = new Set<string>()
      const query = { fields: 'core', limit: 1000, fromStartTime: since }
      for await (const observation of readCursor(server, OBSERVATIONS, query)) {
        const id = textOf(observation['traceId'])
        if (id === undefined || seen.has(id)) continue
        seen.add(id)
        yield { id, observations: await readTrace(id) }
      }
    },
    async *scores() {
      const query = { fields: 'core,details,subject,annotation', limit: 100 }
      for await (const score of readCursor(server, '/api/public/v3/scores', query)) yield scoreOfV4(score)
    },
    async *runs() {
      const query = { fromStartTime: BEGINNING, fields: 'core,metadata', limit: 100 }
      for await (const experiment of readCursor(server, '/api/public/experiments', query)) {
        yield runOf(experiment, await readItems(String(experiment['id'])))
      }
    },
    async traceOfObservation(id) {
      const filter = JSON.stringify([{ type: 'string', column: 'id', operator: '=', value: id }])
      const [found] = await collect(readCursor(server, OBSERVATIONS, { filter, fields: 'core', limit: 1 }))
      return textOf(found?.['traceId'])
    },
  }

  function readItems(experimentId: string): Promise<Fields[]> {
    const query = { experimentId, fields: 'core,dataset,io', limit: 100 }
    return collect(readCursor(server, '/api/public/experiment-items', query))
  }
}

function runOf({ id, name, startTime, datasetId, metadata }: Fields, items: Fields[]): LangfuseRun {
  return {
    id: String(id),
    name: String(name),
    datasetId: textOf(datasetId),
    createdAt: String(startTime),
    metadata,
    cases: items.map(({ experimentItemId, traceId, input, expectedOutput }) => ({
      itemId: String(experimentItemId),
      traceId: String(traceId),
      input: parsed(input),
      expected: parsed(expectedOutput),
    })),
  }
}

/** Objects and lists are returned as JSON in a text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function scoreOfV4({ name, dataType, value, comment, source, timestamp, subject }: Fields): LangfuseScore {
  const { kind, id, traceId } = fieldsOf(subject)
  const isOfTrace = kind === 'trace' || kind === 'observation'
  return {
    name: String(name),
    dataType: String(dataType),
    value: typeof value === 'number' || typeof value === 'boolean' ? value : textOf(value),
    comment: textOf(comment),
    source: String(source),
    at: timestamp,
    traceId: textOf(kind === 'trace' ? id : traceId),
    observationId: kind === 'observation' ? textOf(id) : undefined,
    other: isOfTrace ? undefined : `${kind} ${id}`,
  }
}

function cutKeys(metadata: unknown): string[] {
  return Object.entries(fieldsOf(metadata)).flatMap(([key, value]) =>
    typeof value === 'string' && value.length >= METADATA_LENGTH ? [key] : [],
  )
}

async function collect(entries: AsyncGenerator<Fields>): Promise<Fields[]> {
  const all: Fields[] = []
  for await (const entry of entries) all.push(entry)
  return all
}
