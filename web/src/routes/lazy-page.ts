import { lazyRouteComponent } from '@tanstack/react-router'
import { loadPart } from '../api/server-connection.ts'

/** The component of a page, in a file of its own. Without `loadPart`, the router would reload the page, which fails without a server. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadPart(load), name)
