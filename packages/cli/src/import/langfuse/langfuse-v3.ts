import type { Query, SourceServer } from '../source-server.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../source-values.ts'
import type { LangfuseScore, LangfuseVersion } from './langfuse-version.ts'

type Pages = (path: string, query?: Query) => AsyncGenerator<Fields>

export function langfuseV3(server: SourceServer, pages: Pages): LangfuseVersion {
  return {
    async *traces(since) {
      const query = { fields: 'core', orderBy: 'timestamp.asc', fromTimestamp: since }
      for await (const { id } of pages('/api/public/traces', query)) {
        const trace = fieldsOf(await server.find(`/api/public/traces/${encodeURIComponent(String(id))}`))
        yield { id: String(id), trace, observations: listOf(trace['observations']).filter(isFields) }
      }
    },
    async *scores() {
      for await (const score of pages('/api/public/v2/scores')) yield scoreOfV3(score)
    },
    async *runs(datasets) {
      for (const { id, name } of datasets) {
        const path = `/api/public/datasets/${encodeURIComponent(name)}/runs`
        for await (const run of pages(path)) {
          const full = fieldsOf(await server.get(`${path}/${encodeURIComponent(String(run['name']))}`))
          const items = listOf(full['datasetRunItems']).filter(isFields)
          yield {
            id: String(run['id']),
            name: String(run['name']),
            datasetId: id,
            createdAt: String(run['createdAt']),
            metadata: run['metadata'],
            cases: items.map(({ datasetItemId, traceId }) => ({
              itemId: String(datasetItemId),
              traceId: String(traceId),
            })),
          }
        }
      }
    },
    async traceOfObservation(id) {
      const found = await server.find(`/api/public/observations/${encodeURIComponent(id)}`)
      return textOf(fieldsOf(found)['traceId'])
    },
  }
}

/** Scores that are no numbers have their value in `stringValue`. */
function scoreOfV3(score: Fields): LangfuseScore {
  const { name, dataType, value, stringValue, comment, source, timestamp, traceId, observationId } = score
  const session = textOf(score['sessionId'])
  const run = textOf(score['datasetRunId'])
  const type = textOf(dataType) ?? 'NUMERIC'
  return {
    name: String(name),
    dataType: type,
    value:
      type === 'BOOLEAN' ? value === 1 : type === 'NUMERIC' && typeof value === 'number' ? value : textOf(stringValue),
    comment: textOf(comment),
    source: String(source),
    at: timestamp,
    traceId: textOf(traceId),
    observationId: textOf(observationId),
    other: session !== undefined ? `session ${session}` : run !== undefined ? `run ${run}` : undefined,
  }
}
