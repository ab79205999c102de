import { ok, route } from '../http/route.ts'
import { readRatingScheme } from './rating-scheme-queries.ts'
import { RatingScheme, RatingSchemeBody } from './rating-scheme-schemas.ts'
import { saveRatingScheme } from './save-rating-scheme.ts'

const tag = 'Annotations'

export const getRatingScheme = route({
  method: 'GET',
  path: '/rating-scheme',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Tells which words people rate with, what each is worth, and whether they are ordered',
  tag,
  responses: { 200: RatingScheme },
  handle: async ({ db, principal }) => ok(await readRatingScheme(db.read, principal.workspaceId)),
})

export const putRatingScheme = route({
  method: 'PUT',
  path: '/rating-scheme',
  access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
  summary: 'Sets which words people rate with; ratings that were given stay as they are',
  tag,
  body: RatingSchemeBody,
  responses: { 200: RatingScheme },
  handle: async ({ principal, body, ...context }) => ok(await saveRatingScheme(context, principal, body)),
})
