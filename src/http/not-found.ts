import { AppError } from '../base/errors.ts'
import { pathOf } from './route.ts'
import type { Serve } from './serve-route.ts'
import type { ServerOptions } from './server.ts'

type UnroutedOptions = Pick<ServerOptions, 'routes' | 'mounts' | 'fallback'>

/** Answers what no route takes: another method (405), a page of the interface, or nothing (404). */
export function serveUnrouted(options: UnroutedOptions): Serve {
  const known = knownPaths(options)
  return async (request) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const allowed = known.find(({ pattern }) => pattern.test(path))?.methods
    if (allowed)
      throw new AppError(405, `This path takes ${allowed.join(', ')}`, { headers: { allow: allowed.join(', ') } })
    const answer = request.method === 'GET' || request.method === 'HEAD' ? await options.fallback(request) : undefined
    if (!answer) throw new AppError(404, 'Not found')
    return answer
  }
}

/** Which methods each path takes: the router knows only that the one asked for is not among them. */
function knownPaths({ routes, mounts }: UnroutedOptions): { pattern: RegExp; methods: string[] }[] {
  const methods = new Map<string, Set<string>>()
  const add = (path: string, method: string) => {
    const known = methods.get(path) ?? new Set()
    known.add(method)
    if (method === 'GET') known.add('HEAD')
    methods.set(path, known)
  }
  for (const route of routes) add(pathOf(route), route.method)
  for (const { path, methods: taken } of mounts) for (const method of taken) add(path, method)
  return [...methods].map(([path, names]) => ({
    pattern: new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+').replace(/\*$/, '.*')}$`),
    methods: [...names].sort(),
  }))
}
