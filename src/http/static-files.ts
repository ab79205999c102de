import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import type { HttpResponse } from './route.ts'

const compress = promisify(brotliCompress)

const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

/** Allows only files of this server: no inline scripts or styles and no other origins. Trusted Types block HTML created by scripts. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'"

type StaticFile = { bytes: Buffer; etag: string; mediaType: string; isHashed: boolean; compressed?: Buffer }

/**
 * Serves the built web interface from memory: the files are few and read once, so no path from a request ever reaches the disk.
 * Other paths get the page, which has its own router. Returns undefined for a 404.
 */
export function staticFiles(folder: string): (request: FastifyRequest) => Promise<HttpResponse | undefined> {
  const files = readFiles(folder)
  const page = files.get('/index.html')
  return async (request) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const isPage = isPagePath(path, request)
    const file = files.get(path) ?? (isPage ? page : undefined)
    if (file) return response(file, request)
    return path === '/' && !isPage ? { status: 200, body: OVERVIEW, headers: { vary: 'accept' } } : undefined
  }
}

/** For programs, such as curl, that request the URL of the web interface. */
const OVERVIEW = {
  name: 'Touchstone',
  interface: 'Open this address in a browser',
  docs: '/docs',
  openapi: '/api/v1/openapi.json',
  api: '/api/v1',
}

/** Only for browsers: a program that requests a wrong path must get a 404, not a page. */
function isPagePath(path: string, request: FastifyRequest): boolean {
  const isReserved = /^\/(api|v1|assets|health|ready)(\/|$)/.test(path)
  return !isReserved && (request.headers.accept ?? '').includes('text/html')
}

async function response(file: StaticFile, { headers }: FastifyRequest): Promise<HttpResponse> {
  const common = {
    etag: file.etag,
    'content-type': file.mediaType,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': PAGE_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    vary: file.mediaType.startsWith('text/html') ? 'accept, accept-encoding' : 'accept-encoding',
  }
  if (headers['if-none-match'] === file.etag) return { status: 304, headers: common, body: Buffer.alloc(0) }
  if (!(headers['accept-encoding'] ?? '').includes('br')) return { status: 200, headers: common, body: file.bytes }
  file.compressed ??= await compress(file.bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
  return { status: 200, headers: { ...common, 'content-encoding': 'br' }, body: file.compressed }
}

function readFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  if (!existsSync(folder)) return files
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const bytes = readFileSync(file)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    files.set(path, {
      bytes,
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      mediaType: MEDIA_TYPES[extname(path)] ?? 'application/octet-stream',
      isHashed: path.startsWith('/assets/'),
    })
  }
  return files
}
