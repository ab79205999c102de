/** Reads the REST API of Phoenix: https://arize.com/docs/phoenix/sdk-api-reference/rest-api */

import type { Query, SourceServer } from '../source-server.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../source-values.ts'

const TRACES_PER_REQUEST = 100
const SPANS_PER_REQUEST = 1000
const ANNOTATIONS_PER_REQUEST = 1000
/** Ids are in the address, whose length is limited. */
const IDS_PER_REQUEST = 100

interface PhoenixTraces {
  /** With the spans of each trace. */
  traces: Map<string, Fields[]>
  spanAnnotations: Fields[]
  traceAnnotations: Fields[]
}

export interface PhoenixApi {
  list(path: string, query?: Query): AsyncGenerator<Fields>
  /** All traces of a project, the oldest first, in pages. */
  traces(project: string, since: string | undefined): AsyncGenerator<PhoenixTraces>
  /** These traces of a project; those that Phoenix no longer has are missing. */
  spansOf(project: string, traceIds: readonly string[]): Promise<Map<string, Fields[]>>
  /** The project of an experiment may have been deleted. */
  hasProject(project: string): Promise<boolean>
  examples(datasetId: string): Promise<Fields[]>
  /** The runs of an experiment with their scores; none if it was never run. */
  experimentRuns(experimentId: string): Promise<Fields[]>
  sessionAnnotations(project: string): AsyncGenerator<Fields>
}

export function phoenixApi(server: SourceServer): PhoenixApi {
  async function* list(path: string, query: Query = {}): AsyncGenerator<Fields> {
    let cursor: string | undefined
    do {
      const page = fieldsOf(await server.get(path, { ...query, cursor }))
      yield* listOf(page['data']).filter(isFields)
      cursor = textOf(page['next_cursor'])
    } while (cursor !== undefined)
  }

  async function spansOf(project: string, traceIds: readonly string[]): Promise<Map<string, Fields[]>> {
    const traces = new Map<string, Fields[]>()
    for (const some of chunks(traceIds)) {
      const query = { trace_id: some, limit: SPANS_PER_REQUEST }
      for await (const span of list(`${projectPath(project)}/spans`, query)) {
        const traceId = String(fieldsOf(span['context'])['trace_id'])
        traces.set(traceId, [...(traces.get(traceId) ?? []), span])
      }
    }
    return traces
  }

  async function annotations(project: string, kind: 'span' | 'trace' | 'session', ids: readonly string[]) {
    const found: Fields[] = []
    for (const some of chunks(ids)) {
      const query = { [`${kind}_ids`]: some, limit: ANNOTATIONS_PER_REQUEST }
      for await (const annotation of list(`${projectPath(project)}/${kind}_annotations`, query)) found.push(annotation)
    }
    return found
  }

  return {
    list,
    spansOf,
    async *traces(project, since) {
      const query = { limit: TRACES_PER_REQUEST, order: 'asc', start_time: since }
      let page: string[] = []
      for await (const { trace_id } of list(`${projectPath(project)}/traces`, query)) {
        page.push(String(trace_id))
        if (page.length < TRACES_PER_REQUEST) continue
        yield await readTraces(page)
        page = []
      }
      if (page.length > 0) yield await readTraces(page)

      async function readTraces(traceIds: string[]): Promise<PhoenixTraces> {
        const traces = await spansOf(project, traceIds)
        // A trace whose spans were deleted in between is still one of the source.
        for (const id of traceIds) if (!traces.has(id)) traces.set(id, [])
        const spanIds = [...traces.values()].flat().map(({ context }) => String(fieldsOf(context)['span_id']))
        const spanAnnotations = await annotations(project, 'span', spanIds)
        return { traces, spanAnnotations, traceAnnotations: await annotations(project, 'trace', traceIds) }
      }
    },
    hasProject: async (project) => (await server.find(projectPath(project))) !== undefined,
    async examples(datasetId) {
      const { data } = fieldsOf(await server.get(`/v1/datasets/${encodeURIComponent(datasetId)}/examples`))
      return listOf(fieldsOf(data)['examples']).filter(isFields)
    },
    async experimentRuns(experimentId) {
      return listOf(await server.find(`/v1/experiments/${encodeURIComponent(experimentId)}/json`)).filter(isFields)
    },
    async *sessionAnnotations(project) {
      const ids: string[] = []
      for await (const { session_id } of list(`${projectPath(project)}/sessions`)) ids.push(String(session_id))
      yield* await annotations(project, 'session', ids)
    },
  }
}

function projectPath(project: string): string {
  return `/v1/projects/${encodeURIComponent(project)}`
}

function chunks<Entry>(entries: readonly Entry[]): Entry[][] {
  const starts = Array.from(
    { length: Math.ceil(entries.length / IDS_PER_REQUEST) },
    (_, index) => index * IDS_PER_REQUEST,
  )
  return starts.map((start) => entries.slice(start, start + IDS_PER_REQUEST))
}
