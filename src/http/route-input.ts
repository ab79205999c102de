import { AppError } from '../base/errors.ts'
import { PAGE_PARAMETERS, readPage } from './page-query.ts'
import type { Route, RouteInput } from './route.ts'
import { bodyCheck, type Check, paramsCheck, queryCheck } from './validation.ts'

/** What a caller sent, before it is checked. `body` is undefined if there is none. */
type Sent = { params: Record<string, unknown>; query: Record<string, unknown>; body: unknown }

/** Compiles the checks of a route. They are the same for a request and for a call within the server (`call-route.ts`). */
export function inputCheck(route: Route): (sent: Sent) => Pick<RouteInput, 'page' | 'params' | 'body' | 'query'> {
  const checkParams = route.params ? paramsCheck(route.params) : undefined
  const checkBody = route.body ? bodyCheck(route.body) : undefined
  const checkQuery = route.query ? queryCheck(route.query, queryOptions(route)) : undefined
  return ({ params, query, body }) => {
    const checkedParams = checkParams?.(params)
    const checked = {
      params: checkedParams,
      body: body === undefined && route.isBodyOptional ? undefined : checkedBody(checkBody, body),
      page: route.paged ? readPage(query) : { limit: 0, offset: 0 },
    }
    return checkQuery ? { ...checked, query: checkQuery(query) } : checked
  }
}

function queryOptions({ paged, ignoresOtherParameters = false }: Route) {
  return { alsoKnown: paged ? PAGE_PARAMETERS : [], ignoresOthers: ignoresOtherParameters }
}

function checkedBody(check: Check | undefined, sent: unknown): unknown {
  if (check) {
    if (sent === undefined) throw new AppError(400, 'A request body is required')
    return check(sent)
  }
  if (sent !== undefined) throw new AppError(400, 'This request does not accept a body')
  return undefined
}
