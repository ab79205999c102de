/**
 * Langfuse's public API: https://api.reference.langfuse.com. Version 3 has traces with observations; version 4 has observations only, other
 * paths, and cursors instead of pages.
 */

import type { Query, SourceServer } from '../source-server.ts'
import type { Fields } from '../source-values.ts'
import { langfuseV3 } from './langfuse-v3.ts'
import { langfuseV4 } from './langfuse-v4.ts'
import { type LangfuseVersion, readPages } from './langfuse-version.ts'

export interface LangfuseApi extends LangfuseVersion {
  datasets(): AsyncGenerator<Fields>
  items(dataset: string): AsyncGenerator<Fields>
  comments(): AsyncGenerator<Fields>
  prompts(): AsyncGenerator<Fields>
}

export async function langfuseApi(server: SourceServer): Promise<LangfuseApi> {
  const pages = (path: string, query: Query = {}) => readPages(server, path, query)
  // Servers of version 3 respond with 404, also if their interface already has the page of the next version.
  const isV4 = (await server.find('/api/public/v2/observations', { limit: 1, fields: 'core' })) !== undefined
  return {
    ...(isV4 ? langfuseV4(server) : langfuseV3(server, pages)),
    datasets: () => pages('/api/public/v2/datasets'),
    items: (dataset) => pages('/api/public/dataset-items', { datasetName: dataset }),
    comments: () => pages('/api/public/comments'),
    prompts: () => pages('/api/public/v2/prompts'),
  }
}
