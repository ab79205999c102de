import { ok, type Route, route } from '../../http/route.ts'
import type { TraceLinker } from '../../ingestion/link-arrived-traces.ts'
import { assignTraces } from './assign-traces.ts'
import { readUnknownComponents } from './read-unknown-components.ts'
import { AssignedTraces, AssignTracesBody, UnknownComponents } from './unknown-component-schemas.ts'

const tag = 'Components'

export function unknownComponentRoutes(linker: TraceLinker): Route[] {
  return [
    route({
      method: 'GET',
      path: '/unknown-components',
      access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
      summary: 'List the component names of traces that were stored without a component, at most 20',
      tag,
      responses: { 200: UnknownComponents },
      handle: async ({ db, principal }) => ok({ data: await readUnknownComponents(db.read, principal.workspaceId) }),
    }),
    route({
      method: 'POST',
      path: '/unknown-components',
      access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
      summary: 'Create the component that traces name, unless it exists, and assign up to 1,000 of those traces to it',
      tag,
      body: AssignTracesBody,
      isRepeatable: true,
      responses: { 200: AssignedTraces },
      handle: async ({ principal, body, ...context }) =>
        ok(await assignTraces({ ...context, linker }, principal, body.name)),
    }),
  ]
}
