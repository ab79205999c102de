import { recordAudit } from '../../auth/audit/audit.ts'
import { notFound } from '../../base/errors.ts'
import { accepted, created, list, noContent, route } from '../../http/route.ts'
import { listOf } from '../../http/schemas.ts'
import { createPrice } from './create-price.ts'
import { deletePrice, listPrices } from './price-queries.ts'
import { AcceptedRepricing, CreatePriceBody, Price, PriceParams, RepriceBody } from './price-schemas.ts'
import { requestRepricing } from './request-repricing.ts'

const tag = 'Prices'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const getPrices = route({
  method: 'GET',
  path: '/prices',
  access: reading,
  summary: 'List the model prices of the application, newest first; they take precedence over bundled prices',
  tag,
  paged: true,
  responses: { 200: listOf(Price) },
  handle: async ({ db, principal, page }) =>
    list(await listPrices(db.read, { workspaceId: principal.workspaceId, ...page })),
})

const postPrice = route({
  method: 'POST',
  path: '/prices',
  access: editing,
  summary: 'Create a price for models that match a pattern; it applies to traces that arrive from now on',
  tag,
  body: CreatePriceBody,
  responses: { 201: Price },
  handle: async ({ principal, body, ...context }) => created(await createPrice(context, principal, body)),
})

const removePrice = route({
  method: 'DELETE',
  path: '/prices/:priceId',
  access: editing,
  summary: 'Delete a price; stored costs do not change',
  tag,
  params: PriceParams,
  responses: { 204: null },
  handle: async ({ db, principal, params, ...context }) => {
    const { workspaceId } = principal
    await db.transaction(async (tx) => {
      if (!(await deletePrice(tx, workspaceId, params.priceId))) throw notFound('Price')
      const event = { by: principal, workspaceId, action: 'price.deleted', resourceId: params.priceId } as const
      await recordAudit(tx, context, event)
    })
    return noContent()
  },
})

export const priceRoutes = [getPrices, postPrice, removePrice]

export const postReprice = route({
  method: 'POST',
  path: '/traces/reprice',
  access: editing,
  summary: 'Recompute the costs of stored traces with current prices, in the background; reported costs do not change',
  tag,
  body: RepriceBody,
  responses: { 202: AcceptedRepricing },
  handle: async ({ principal, body, ...context }) => accepted(await requestRepricing(context, principal, body)),
})
