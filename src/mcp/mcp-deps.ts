import type { Logger } from '../base/log.ts'
import type { CallRoute, Route } from '../http/route.ts'

export type McpDeps = {
  callRoute: CallRoute
  /** The access rules of the routes that a tool calls decide which callers see it. */
  routes: readonly Route[]
  version: string
  log: Logger
}
