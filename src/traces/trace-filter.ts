import { badRequest } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { readQueryTime } from '../http/query-parameters.ts'
import type { Condition } from './query/condition.ts'
import { parseQuery } from './query/parse-query.ts'
import type { FilterFields } from './query/plain-filter.ts'

export type TraceFilter = FilterFields & { condition?: Condition }

/** The query parameters of `GET /traces`. */
export type TraceParameters = {
  status?: string
  start_after?: string
  start_before?: string
  component_id?: string
  service?: string
  environment?: string
  session_id?: string
  user_id?: string
  q?: string
}

/** Throws 400 with a message that names the parameter. `now`, in milliseconds, is for times such as `start:>-24h`. */
export function readTraceFilter(parameters: TraceParameters, now: number): TraceFilter {
  const condition = parameters.q === undefined ? undefined : parseQuery(parameters.q, now)
  const filter: { [Name in keyof TraceFilter]-?: TraceFilter[Name] | undefined } = {
    status: readStatus(parameters.status),
    startAfter: readQueryTime('start_after', parameters.start_after),
    startBefore: readQueryTime('start_before', parameters.start_before),
    componentId: readComponentId(parameters.component_id),
    service: readText('service', parameters.service),
    environment: readText('environment', parameters.environment),
    sessionId: readText('session_id', parameters.session_id),
    userId: readText('user_id', parameters.user_id),
    condition,
  }
  // Only the type of Object.fromEntries forgets the names.
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as TraceFilter
}

function readStatus(status: string | undefined): 'ok' | 'error' | undefined {
  if (status === undefined || status === 'ok' || status === 'error') return status
  throw badRequest('The query parameter status must be ok or error')
}

function readComponentId(id: string | undefined): string | undefined {
  if (id === undefined || isUuid(id)) return id?.toLowerCase()
  throw badRequest('The query parameter component_id must be a UUID')
}

function readText(name: string, text: string | undefined): string | undefined {
  if (text === '') throw badRequest(`The query parameter ${name} must not be empty`)
  if (text !== undefined && (text.includes('\0') || !text.isWellFormed())) {
    throw badRequest(
      `The query parameter ${name} has characters that cannot be stored (U+0000 or half of a surrogate pair)`,
    )
  }
  return text
}
