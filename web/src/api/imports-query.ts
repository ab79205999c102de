/** Imports of files into a dataset: check, import, list, undo. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery, listQuery } from './api-query.ts'
import type { ImportReport } from './generated/api.ts'
import { refreshItems } from './item-rows-query.ts'
import type { DatasetKey } from './run-query.ts'

/** Limits of the API. */
export const IMPORT_BYTES_MAX = 20 * 1024 * 1024
export const MAPPING_LENGTH_MAX = 6_000

export type ImportMediaType = 'text/csv' | 'application/jsonl' | 'application/json'

export interface ImportFile {
  /** Distinguishes two files of the same name. */
  id: number
  file: Blob
  name: string
  mediaType: ImportMediaType
}

export interface ImportChoices {
  mapping: string
  duplicates: 'keep' | 'skip'
}

const DATASET = '/components/{componentId}/datasets/{datasetId}'

/** What an import would do. Nothing is stored. */
export function importCheckQuery(key: DatasetKey, file: ImportFile, choices: ImportChoices) {
  return queryOptions({
    queryKey: ['import-check', key.applicationId, key.datasetId, file.id, choices],
    queryFn: ({ signal }) => sendFile(key, file, { ...choices, dry_run: true }, signal),
    // Others may add items meanwhile, which are duplicates then.
    staleTime: 0,
    gcTime: 60_000,
  })
}

/** Imports the good rows, all of them or none. */
export function importRows(key: DatasetKey, file: ImportFile, choices: ImportChoices): Promise<ImportReport> {
  return sendFile(key, file, { ...choices, on_error: 'skip', file_name: file.name.slice(0, 255) })
}

type FileOptions = ImportChoices & { dry_run?: true; on_error?: 'skip'; file_name?: string }

async function sendFile(
  key: DatasetKey,
  file: ImportFile,
  query: FileOptions,
  signal?: AbortSignal,
): Promise<ImportReport> {
  const { params, ...request } = requestOf(key, file)
  const init = { ...request, params: { ...params, query }, ...(signal && { signal }) }
  const report = await dataOf(api.POST(`${DATASET}/import`, init))
  // The short response is the one without options.
  if (!('mapping' in report)) throw new Error('The server must respond with a report.')
  return report
}

/** All bad rows with their reasons, as CSV. */
export function downloadBadRows(key: DatasetKey, file: ImportFile, mapping: string): Promise<string> {
  const { params, ...request } = requestOf(key, file)
  const init = { ...request, params: { ...params, query: { mapping } }, parseAs: 'text' as const }
  return dataOf(api.POST(`${DATASET}/import/bad-rows`, init))
}

function requestOf({ applicationId, componentId, datasetId }: DatasetKey, { file, mediaType }: ImportFile) {
  const { headers } = inApplication(applicationId)
  return {
    headers: { ...headers, 'Content-Type': mediaType },
    params: { path: { componentId, datasetId } },
    body: file,
    // The file itself, not its JSON.
    bodySerializer: () => file,
  }
}

export interface ImportKey extends DatasetKey {
  importId: string
}

export function importQuery({ applicationId, componentId, datasetId, importId }: ImportKey) {
  const params = { path: { componentId, datasetId, importId } }
  return apiQuery(`${DATASET}/imports/{importId}`, { applicationId, params })
}

export function importsQuery({ applicationId, componentId, datasetId }: DatasetKey) {
  const params = { path: { componentId, datasetId } }
  return listQuery(`${DATASET}/imports`, { applicationId, params })
}

/** What an undo would remove, and what would stay. */
export function undoCheckQuery(key: ImportKey) {
  return queryOptions({
    queryKey: ['undo-check', key.applicationId, key.importId],
    queryFn: () => undo(key, true),
    staleTime: 0,
  })
}

export function undoImport(key: ImportKey) {
  return undo(key, false)
}

function undo({ applicationId, componentId, datasetId, importId }: ImportKey, dry_run: boolean) {
  const params = { path: { componentId, datasetId, importId }, query: { dry_run } }
  return dataOf(api.POST(`${DATASET}/imports/{importId}/undo`, { ...inApplication(applicationId), params }))
}

/** After an import or its undo. */
export async function refreshImports(queryClient: QueryClient, key: DatasetKey): Promise<void> {
  const changed = [`${DATASET}/imports`, `${DATASET}/imports/{importId}`, '/components/{componentId}/datasets'] as const
  await Promise.all([
    refreshItems(queryClient, key),
    ...changed.map((path) => queryClient.invalidateQueries({ queryKey: apiKey(path, key.applicationId) })),
  ])
}
