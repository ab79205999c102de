import { ComponentParams } from '../../components/component-schemas.ts'
import { readBoolean } from '../../http/query-parameters.ts'
import { ok, route } from '../../http/route.ts'
import { Preference, PreferenceList, PreferencesQuery, SavePreference } from './preference-schemas.ts'
import { readPreferences, savePreference } from './preferences.ts'

const path = '/components/:componentId/comparisons/preferences'
const tag = 'Comparisons'

const getPreferences = route({
  method: 'GET',
  path,
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'List which of two runs people prefer item by item, with the share of the candidate',
  tag,
  params: ComponentParams,
  query: PreferencesQuery,
  paged: true,
  responses: { 200: PreferenceList },
  handle: async ({ db, principal, params, query: { mine = 'false', ...runs }, page }) => {
    const isMine = readBoolean('mine', mine)
    const { extent, ...preferences } = await readPreferences(db.read, principal, { ...params, ...runs, isMine, page })
    return { ...ok(preferences), extent }
  },
})

const putPreference = route({
  method: 'PUT',
  path,
  access: { auth: 'key-or-session', workspace: 'header', role: 'annotator' },
  summary: 'Set which of the two answers to an item the caller prefers',
  tag,
  params: ComponentParams,
  body: SavePreference,
  responses: { 200: Preference },
  handle: async ({ principal, params, body, ...context }) =>
    ok(await savePreference(context, principal, { ...params, ...body })),
})

export const preferenceRoutes = [getPreferences, putPreference]
