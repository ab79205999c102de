import { created, list, noContent, ok, type Route, route } from '../http/route.ts'
import { ErrorBody, listOf } from '../http/schemas.ts'
import { changeView, createView, removeView } from './change-view.ts'
import { listViews } from './view-queries.ts'
import { ChangeViewBody, CreateViewBody, View, ViewParams } from './view-schemas.ts'

const access = { auth: 'session', workspace: 'header', role: 'viewer' } as const
const tag = 'Views'

export const viewRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/views',
    access,
    summary: 'List the caller’s saved views of traces and those shared with the application, newest first',
    tag,
    paged: true,
    responses: { 200: listOf(View) },
    handle: async ({ db, principal, page }) => list(await listViews(db.read, principal, page)),
  }),
  route({
    method: 'POST',
    path: '/views',
    access,
    summary: 'Save a view of traces; sharing it requires the role editor',
    tag,
    body: CreateViewBody,
    responses: { 201: View, 409: ErrorBody },
    handle: async ({ principal, body, ...context }) => created(await createView(context, principal, body)),
  }),
  route({
    method: 'PATCH',
    path: '/views/:viewId',
    access,
    summary: 'Change one of the caller’s views',
    tag,
    params: ViewParams,
    body: ChangeViewBody,
    responses: { 200: View },
    handle: async ({ principal, params, body, ...context }) =>
      ok(await changeView(context, principal, params.viewId, body)),
  }),
  route({
    method: 'DELETE',
    path: '/views/:viewId',
    access,
    summary: 'Delete one of the caller’s views; admins can delete any shared view',
    tag,
    params: ViewParams,
    responses: { 204: null },
    handle: async ({ principal, params, ...context }) => {
      await removeView(context, principal, params.viewId)
      return noContent()
    },
  }),
]
