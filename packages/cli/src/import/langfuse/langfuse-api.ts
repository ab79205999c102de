/**
 * Langfuse's public API: https://api.reference.langfuse.com. Version 3 has traces with observations; version 4 has observations only, other
 * paths, and cursors instead of pages.
 */

import type { Query, SourceServer } from '../source-server.ts'
import { type Fields, isFields } from '../source-values.ts'
import { langfuseV3 } from './langfuse-v3.ts'
import { BEGINNING, langfuseV4 } from './langfuse-v4.ts'
import { type LangfuseVersion, readPages } from './langfuse-version.ts'

export interface LangfuseApi extends LangfuseVersion {
  datasets(): AsyncGenerator<Fields>
  items(dataset: string): AsyncGenerator<Fields>
  comments(): AsyncGenerator<Fields>
  prompts(): AsyncGenerator<Fields>
  /** Undefined if there is no such version. */
  promptVersion(name: string, version: number): Promise<Fields | undefined>
}

export async function langfuseApi(server: SourceServer): Promise<LangfuseApi> {
  const pages = (path: string, query: Query = {}) => readPages(server, path, query)
  return {
    ...((await isVersion4(server)) ? langfuseV4(server) : langfuseV3(server, pages)),
    datasets: () => pages('/api/public/v2/datasets'),
    items: (dataset) => pages('/api/public/dataset-items', { datasetName: dataset }),
    comments: () => pages('/api/public/comments'),
    prompts: () => pages('/api/public/v2/prompts'),
    async promptVersion(name, version) {
      // A name in a folder has slashes.
      const found = await server.find(`/api/public/v2/prompts/${encodeURIComponent(name)}`, { version })
      return isFields(found) ? found : undefined
    },
  }
}

/** Servers of version 3 got the paths of version 4 one by one, and the older paths have everything until all of them are there. */
async function isVersion4(server: SourceServer): Promise<boolean> {
  const probes: [string, Query][] = [
    ['/api/public/v2/observations', { limit: 1, fields: 'core' }],
    ['/api/public/v3/scores', { limit: 1 }],
    ['/api/public/experiments', { limit: 1, fromStartTime: BEGINNING }],
  ]
  for (const [path, query] of probes) {
    if ((await server.find(path, query)) === undefined) return false
  }
  return true
}
