import { ok, route } from '../http/route.ts'
import { readRatingScheme } from './rating-rule-queries.ts'
import { RatingScheme, RatingSchemeBody } from './rating-scheme-schemas.ts'
import { saveRatingScheme } from './save-rating-scheme.ts'

const tag = 'Annotations'

const getRatingScheme = route({
  method: 'GET',
  path: '/rating-scheme',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get the rating scheme: the allowed ratings, their scores and their order',
  tag,
  responses: { 200: RatingScheme },
  handle: async ({ db, principal }) => ok(await readRatingScheme(db.read, principal.workspaceId)),
})

const putRatingScheme = route({
  method: 'PUT',
  path: '/rating-scheme',
  access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
  summary: 'Set the rating scheme; existing ratings are kept',
  tag,
  body: RatingSchemeBody,
  responses: { 200: RatingScheme },
  handle: async ({ principal, body, ...context }) => ok(await saveRatingScheme(context, principal, body)),
})

export const ratingSchemeRoutes = [getRatingScheme, putRatingScheme]
