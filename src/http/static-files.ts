import { acceptsPages, type FileRequest, fileResponse, pathIn, readFiles } from './file-response.ts'
import type { HttpResponse } from './route.ts'

/**
 * Serves the built web interface from memory. Other paths get the page, which has its own router. Returns undefined for
 * a 404.
 */
export function staticFiles(folder: string): (request: FileRequest) => Promise<HttpResponse | undefined> {
  const files = readFiles(folder)
  const page = files.get('/index.html')
  return async (request) => {
    const path = pathIn(request)
    const isPage = isPagePath(path, request)
    const file = files.get(path) ?? (isPage ? page : undefined)
    if (file) return fileResponse(file)
    return path === '/' && !isPage ? { status: 200, body: OVERVIEW, headers: { vary: 'accept' } } : undefined
  }
}

/** For programs, such as curl, that request the URL of the web interface. */
const OVERVIEW = {
  name: 'Touchstone',
  interface: 'Open this address in a browser',
  guide: '/guide',
  docs: '/docs',
  openapi: '/api/v1/openapi.json',
  api: '/api/v1',
}

/** Only for browsers: a program that requests a wrong path must get a 404, not a page. */
function isPagePath(path: string, request: FileRequest): boolean {
  return !/^\/(api|v1|assets|health|ready)(\/|$)/.test(path) && acceptsPages(request)
}
