import { badRequest } from '../base/errors.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { created, ok, type Route, route } from '../http/route.ts'
import { addTraces } from './add-traces.ts'
import type { Ingest } from './ingest-spans.ts'
import { NativeTraceBody, NewTraceIds } from './native-schemas.ts'

/** `ingest` is a parameter because OTLP stores spans through the same instance. */
export function postComponentTraces(ingest: Ingest): Route {
  return route({
    method: 'POST',
    path: '/components/:componentId/traces',
    access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
    summary: 'Create one or more traces from JSON',
    tag: 'Traces',
    params: ComponentParams,
    body: NativeTraceBody,
    responses: { 200: NewTraceIds, 201: NewTraceIds },
    handle: async ({ principal, params, body: sent, ...context }) => {
      const { traces, ...single } = sent
      const { workspaceId } = principal
      if (traces && Object.keys(single).length > 0) {
        throw badRequest('Send either one trace, or several under traces, and not both')
      }
      const added = { workspaceId, ...params, traces: traces ?? [single] }
      const { ids, outcome } = await addTraces(context, ingest, added)
      const body = traces ? { data: ids } : ids[0]
      return outcome === 'created' ? created(body) : ok(body)
    },
  })
}
