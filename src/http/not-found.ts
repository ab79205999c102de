import type { FastifyRequest } from 'fastify'
import { AppError } from '../base/errors.ts'
import { pathOf } from './route.ts'
import type { Serve } from './serve-route.ts'
import type { ServerOptions } from './server-options.ts'

type KnownPath = { path: string; pattern: RegExp; methods: string[] }

/** Handles requests that match no route: responds 405 for another method, with a page of the web interface, or 404. */
export function serveNotFound(known: readonly KnownPath[], { fallback, limits }: ServerOptions): Serve {
  return async (request, { address }) => {
    limits.countAnonymous(address)
    const path = pathIn(request)
    const allowed = known.find(({ pattern }) => pattern.test(path))?.methods
    if (allowed)
      throw new AppError(405, `This path supports only ${allowed.join(', ')}`, {
        headers: { allow: allowed.join(', ') },
      })
    const response = request.method === 'GET' || request.method === 'HEAD' ? await fallback(request) : undefined
    if (!response) throw new AppError(404, 'Not found')
    return response
  }
}

/**
 * Serves a path with a parameter, such as `/members/:userId`, except for paths that have text in its place, such as `/members/me`. The
 * router knows the paths of one method only, and would take `me` for an id where `/members/me` does not have the method.
 */
export function exceptOwnPaths(known: readonly KnownPath[], path: string, serve: Serve, notFound: Serve): Serve {
  const pattern = known.find((one) => one.path === path)?.pattern
  const own = known.filter((one) => pattern?.test(one.path) && parameterCount(one.path) < parameterCount(path))
  if (own.length === 0) return serve
  return (request, client) => {
    const isOwn = own.some((one) => one.pattern.test(pathIn(request)))
    return (isOwn ? notFound : serve)(request, client)
  }
}

/** Which methods each path takes: the router knows only that the requested one is not among them. Fewer parameters come first. */
export function knownPaths({ routes, mounts }: Pick<ServerOptions, 'routes' | 'mounts'>): KnownPath[] {
  const methods = new Map<string, Set<string>>()
  const add = (path: string, method: string) => {
    const known = methods.get(path) ?? new Set()
    known.add(method)
    if (method === 'GET') known.add('HEAD')
    methods.set(path, known)
  }
  for (const route of routes) add(pathOf(route), route.method)
  for (const { path, methods: taken } of mounts) for (const method of taken) add(path, method)
  const known = [...methods].map(([path, names]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+').replace(/\*$/, '.*')}$`),
    methods: [...names].sort(),
  }))
  return known.sort((a, b) => parameterCount(a.path) - parameterCount(b.path))
}

function pathIn({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? ''
}

function parameterCount(path: string): number {
  return path.split('/').filter((segment) => segment.startsWith(':') || segment === '*').length
}
