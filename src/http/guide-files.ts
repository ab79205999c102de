import { AppError } from '../base/errors.ts'
import { acceptsPages, type FileRequest, fileResponse, pathIn, readFiles, type StoredFile } from './file-response.ts'
import type { HttpResponse } from './route.ts'

/** Where the convention of https://llmstxt.org expects them; all other files of the guide are below /guide. */
const ROOT_FILES = ['/llms.txt', '/llms-full.txt']

/**
 * Serves the documentation that the installation has built. It is read at the first request, so that an installation that
 * no one reads it on does not load it, and one that builds it later need not be restarted. Returns undefined for paths
 * outside of it.
 */
export function guideFiles(folder: string): (request: FileRequest) => Promise<HttpResponse | undefined> {
  let files = new Map<string, StoredFile>()
  return async (request) => {
    const path = pathIn(request)
    const isRoot = ROOT_FILES.includes(path)
    if (!isRoot && path !== '/guide' && !path.startsWith('/guide/')) return undefined
    if (files.size === 0) files = readFiles(folder)
    if (files.size === 0) return notBuilt(request)
    if (path === '/guide') return redirect(request)
    const name = isRoot ? path : path.slice('/guide'.length)
    const file = files.get(name.endsWith('/') ? `${name}index.html` : name)
    if (file) return fileResponse(file)
    if (files.has(`${name}/index.html`)) return redirect(request)
    const page = files.get('/404.html')
    if (page && acceptsPages(request)) return fileResponse(page, 404)
    throw new AppError(404, 'Not found')
  }
}

/** The addresses of pages end with a slash. */
function redirect({ url }: FileRequest): HttpResponse {
  return { status: 308, headers: { location: url.replace(/(\?|$)/, '/$1'), 'cache-control': 'no-cache' } }
}

const NOT_BUILT = 'The guide is not built on this server. Build it with: npm run build:guide'

function notBuilt(request: FileRequest): HttpResponse {
  if (!acceptsPages(request)) throw new AppError(404, NOT_BUILT)
  const page =
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    '<meta name="color-scheme" content="light dark"><title>Guide - Touchstone</title><h1>The guide is not built</h1>' +
    '<p>Build it on the server with <code>npm run build:guide</code>, then reload this page.</p>' +
    '<p>The same texts are in the folder <code>docs/guide</code> of the repository.</p>' +
    '<p><a href="/">Back to Touchstone</a></p></html>'
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', vary: 'accept' }
  return { status: 404, headers, body: Buffer.from(page) }
}
