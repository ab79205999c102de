import { readWindow } from '../../http/query-parameters.ts'
import { created, noContent, ok, route, streamed } from '../../http/route.ts'
import { listOf } from '../../http/schemas.ts'
import { DatasetParams } from '../dataset-schemas.ts'
import { AddCasesBody, CASES_PAGE, CaseParams, CasesQuery, ChangeCaseBody, DatasetCase } from './case-schemas.ts'
import { addCases, changeCase, getCase, listCases, removeCase } from './change-case.ts'

const tag = 'Dataset cases'
const path = '/components/:componentId/datasets/:datasetId/cases'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

function caseOf<Params extends { caseId: string }>({ caseId, ...params }: Params) {
  return { ...params, number: Number(caseId) }
}

const getCases = route({
  method: 'GET',
  path,
  access: reading,
  summary: 'List the items of a dataset as cases of promptic-sdk, oldest first',
  tag,
  params: DatasetParams,
  query: CasesQuery,
  responses: { 200: listOf(DatasetCase) },
  handle: async ({ db, principal: { workspaceId }, params, query }) => {
    const chunks = await listCases({ db }, { workspaceId, ...params }, readWindow(query, CASES_PAGE))
    return streamed('application/json; charset=utf-8', writeList(chunks))
  },
})

/** The JSON of a list. */
async function* writeList(chunks: AsyncGenerator<readonly unknown[]>): AsyncGenerator<string> {
  let separator = ''
  yield '{"data":['
  for await (const rows of chunks) {
    if (rows.length === 0) continue
    yield separator + rows.map((row) => JSON.stringify(row)).join()
    separator = ','
  }
  yield ']}'
}

const postCases = route({
  method: 'POST',
  path,
  access: editing,
  summary: 'Add cases to a dataset',
  tag,
  params: DatasetParams,
  body: AddCasesBody,
  responses: { 201: listOf(DatasetCase) },
  handle: async ({ principal: { workspaceId, userId }, params, body, ...context }) =>
    created({ data: await addCases(context, { workspaceId, userId, ...params }, body) }),
})

const getOneCase = route({
  method: 'GET',
  path: `${path}/:caseId`,
  access: reading,
  summary: 'Get a case by its number',
  tag,
  params: CaseParams,
  responses: { 200: DatasetCase },
  handle: async ({ db, principal: { workspaceId }, params }) =>
    ok(await getCase(db.read, { workspaceId, ...caseOf(params) })),
})

const patchCase = route({
  method: 'PATCH',
  path: `${path}/:caseId`,
  access: editing,
  summary: 'Update a case',
  tag,
  params: CaseParams,
  body: ChangeCaseBody,
  responses: { 200: DatasetCase },
  handle: async ({ principal: { workspaceId, userId }, params, body, ...context }) =>
    ok(await changeCase(context, { workspaceId, userId, ...caseOf(params) }, body)),
})

const deleteCase = route({
  method: 'DELETE',
  path: `${path}/:caseId`,
  access: editing,
  summary: 'Delete a case, which is an item of the dataset',
  tag,
  params: CaseParams,
  responses: { 204: null },
  handle: async ({ principal: { workspaceId, userId }, params, ...context }) => {
    await removeCase(context, { workspaceId, userId, ...caseOf(params) })
    return noContent()
  },
})

export const caseRoutes = [getCases, postCases, getOneCase, patchCase, deleteCase]
