import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { PreparedBody } from './prepared-body.ts'
import type { HttpResponse } from './route.ts'

/** Allows only files of this server: no inline scripts or styles and no other origins. Trusted Types block HTML created by scripts. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'"

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
  '.md': 'text/markdown; charset=utf-8',
}

/** What the build has compressed is next to the file. */
const BROTLI_ENDING = '.br'

/** Images and fonts are compressed already. */
const COMPRESSED_TYPE = /^(text\/|application\/json|image\/svg)/

export type StoredFile = {
  body: PreparedBody
  mediaType: string
  isHashed: boolean
}

/** What a response depends on. */
export type FileRequest = Pick<FastifyRequest, 'url' | 'headers'>

/** The files below have a hash of their content in their names, and never change. */
const HASHED_PREFIX = '/assets/'

/**
 * Reads the files of a folder, by their paths: they are few, so no path of a request ever reaches the disk. Without the
 * folder there are none.
 */
export function readFiles(folder: string): Map<string, StoredFile> {
  const files = new Map<string, StoredFile>()
  if (!existsSync(folder)) return files
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith(BROTLI_ENDING)) continue
    const file = join(entry.parentPath, entry.name)
    const bytes = readFileSync(file)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    const mediaType = MEDIA_TYPES[extname(path)] ?? 'application/octet-stream'
    files.set(path, {
      body: new PreparedBody(bytes, { isCompressible: COMPRESSED_TYPE.test(mediaType), brotli: readBrotli(file) }),
      mediaType,
      isHashed: path.startsWith(HASHED_PREFIX),
    })
  }
  return files
}

function readBrotli(file: string): Buffer | undefined {
  const compressed = `${file}${BROTLI_ENDING}`
  return existsSync(compressed) ? readFileSync(compressed) : undefined
}

export function fileResponse({ body, mediaType, isHashed }: StoredFile, status: 200 | 404 = 200): HttpResponse {
  const headers = {
    'content-type': mediaType,
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': PAGE_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    vary: mediaType.startsWith('text/html') ? 'accept, accept-encoding' : 'accept-encoding',
  }
  return { status, headers, body }
}

export function pathIn({ url }: FileRequest): string {
  return url.split('?', 1)[0] ?? '/'
}

export function acceptsPages({ headers }: FileRequest): boolean {
  return (headers.accept ?? '').includes('text/html')
}
