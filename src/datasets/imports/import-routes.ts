import { badRequest, notFound } from '../../base/errors.ts'
import { readBoolean } from '../../http/query-parameters.ts'
import { list, ok, route, streamed } from '../../http/route.ts'
import { listOf } from '../../http/schemas.ts'
import { DatasetParams } from '../dataset-schemas.ts'
import { IMPORT_BYTES_MAX, IMPORT_MEDIA_TYPES, importItems, readImport, requireDataset } from '../files/import-items.ts'
import { badRowsCsv } from './bad-rows-csv.ts'
import { findImport, listImports } from './import-queries.ts'
import {
  BadRowsQuery,
  DatasetImport,
  ImportParams,
  ImportQuery,
  ImportResultOrReport,
  UndoneImport,
  UndoQuery,
} from './import-schemas.ts'
import { CSV } from './read-import-file.ts'
import { type ImportOptions, readMappedImport, runImport } from './run-import.ts'
import { previewUndo, undoImport } from './undo-import.ts'

const tag = 'Dataset items'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const
const upload = { mediaTypes: IMPORT_MEDIA_TYPES, bytesMax: IMPORT_BYTES_MAX }

const postDatasetImport = route({
  method: 'POST',
  path: '/components/:componentId/datasets/:datasetId/import',
  access: editing,
  summary: 'Import items from a file; all or nothing unless bad rows are skipped',
  tag,
  params: DatasetParams,
  query: ImportQuery,
  upload,
  responses: { 200: ImportResultOrReport },
  prepare: async ({ principal, params, query, upload: file, ...context }) => {
    if (!file) throw badRequest('A request body is required')
    const scope = { workspaceId: principal.workspaceId, ...params }
    const options = optionsOf(query)
    if (!options) {
      const wrongRows = query.partial === 'true' ? 'skip' : 'reject'
      return { plain: await readImport(context, scope, { file, wrongRows }) }
    }
    await requireDataset(context, scope)
    return { file: await readMappedImport(file, options), options }
  },
  handle: async ({ principal, params, prepared, ...context }) => {
    const scope = { workspaceId: principal.workspaceId, userId: principal.userId, ...params }
    return ok(
      'plain' in prepared
        ? await importItems(context, scope, prepared.plain)
        : await runImport(context, scope, prepared),
    )
  },
})

const postBadRows = route({
  method: 'POST',
  path: '/components/:componentId/datasets/:datasetId/import/bad-rows',
  access: editing,
  summary: 'Check a file without importing it and return all its bad rows with their reasons as CSV',
  tag,
  params: DatasetParams,
  query: BadRowsQuery,
  upload,
  responses: { 200: null },
  isRepeatable: true,
  streams: [CSV],
  handle: async ({ db, principal, params, query, upload: file }) => {
    if (!file) throw badRequest('A request body is required')
    await requireDataset({ db }, { workspaceId: principal.workspaceId, ...params })
    return streamed(`${CSV}; charset=utf-8; header=present`, await badRowsCsv(file, query.mapping), {
      'content-disposition': 'attachment; filename="bad-rows.csv"',
    })
  },
})

const getDatasetImports = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/imports',
  access: reading,
  summary: 'List the imports of a dataset, newest first',
  tag,
  params: DatasetParams,
  paged: true,
  responses: { 200: listOf(DatasetImport) },
  handle: async ({ db, principal, params, page }) => {
    const found = await listImports(db.read, { workspaceId: principal.workspaceId, ...params, ...page })
    return list({ ...found, rows: found.rows.map(withState) })
  },
})

const getDatasetImport = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/imports/:importId',
  access: reading,
  summary: 'Get an import of a dataset',
  tag,
  params: ImportParams,
  responses: { 200: DatasetImport },
  handle: async ({ db, principal, params }) => {
    const found = await findImport(db.read, { workspaceId: principal.workspaceId, ...params })
    if (!found) throw notFound('Import')
    return ok(withState(found))
  },
})

const postImportUndo = route({
  method: 'POST',
  path: '/components/:componentId/datasets/:datasetId/imports/:importId/undo',
  access: editing,
  summary: 'Remove the items of an import, except those that were changed or used since',
  tag,
  params: ImportParams,
  query: UndoQuery,
  responses: { 200: UndoneImport },
  handle: async ({ principal, params, query, ...context }) => {
    const named = { workspaceId: principal.workspaceId, ...params }
    return ok(
      readDryRun(query.dry_run) ? await previewUndo(context, named) : await undoImport(context, principal, named),
    )
  },
})

export const importRoutes = [postDatasetImport, postBadRows, getDatasetImports, getDatasetImport, postImportUndo]

type Query = Partial<Record<'partial' | 'dry_run' | 'on_error' | 'duplicates' | 'mapping' | 'file_name', string>>

/** Undefined for an import as it was before there were options. */
function optionsOf({ partial, dry_run, on_error, duplicates, mapping, file_name }: Query): ImportOptions | undefined {
  const given = [dry_run, on_error, duplicates, mapping, file_name]
  if (given.every((value) => value === undefined)) return undefined
  return {
    isDryRun: readDryRun(dry_run),
    onError: on_error === 'skip' || (on_error === undefined && partial === 'true') ? 'skip' : 'fail',
    duplicates: duplicates === 'skip' ? 'skip' : 'keep',
    mapping,
    fileName: file_name,
  }
}

function withState<Import extends { undoneAt: string | null }>(found: Import) {
  return { ...found, state: found.undoneAt === null ? 'imported' : 'undone' }
}

function readDryRun(text: string | undefined): boolean {
  return text !== undefined && readBoolean('dry_run', text)
}
