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
  '.md': 'text/markdown; charset=utf-8',
}

/** Images, fonts and the search index of the guide are compressed already. */
const COMPRESSED_TYPE = /^(text\/|application\/json|image\/svg)/

export type StoredFile = {
  bytes: Buffer
  etag: string
  mediaType: string
  isHashed: boolean
  policy: string
  compressed?: Buffer
}

/** What a response depends on. */
export type FileRequest = Pick<FastifyRequest, 'url' | 'headers'>

type ReadOptions = {
  /** The files below have a hash of their content in their names, and never change. */
  hashedPrefix: string
  policyOf: (bytes: Buffer, mediaType: string) => string
}

/**
 * Reads the files of a folder, by their paths: they are few, so no path of a request ever reaches the disk. Without the
 * folder there are none.
 */
export function readFiles(folder: string, { hashedPrefix, policyOf }: ReadOptions): Map<string, StoredFile> {
  const files = new Map<string, StoredFile>()
  if (!existsSync(folder)) return files
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const bytes = readFileSync(file)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    const mediaType = MEDIA_TYPES[extname(path)] ?? 'application/octet-stream'
    files.set(path, {
      bytes,
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      mediaType,
      isHashed: path.startsWith(hashedPrefix),
      policy: policyOf(bytes, mediaType),
    })
  }
  return files
}

export async function fileResponse(
  file: StoredFile,
  { headers }: FileRequest,
  status: 200 | 404 = 200,
): Promise<HttpResponse> {
  const common = {
    etag: file.etag,
    'content-type': file.mediaType,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': file.policy,
    'cross-origin-opener-policy': 'same-origin',
    vary: file.mediaType.startsWith('text/html') ? 'accept, accept-encoding' : 'accept-encoding',
  }
  if (status === 200 && headers['if-none-match'] === file.etag)
    return { status: 304, headers: common, body: Buffer.alloc(0) }
  const isCompressed = COMPRESSED_TYPE.test(file.mediaType) && (headers['accept-encoding'] ?? '').includes('br')
  if (!isCompressed) return { status, headers: common, body: file.bytes }
  file.compressed ??= await compress(file.bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
  return { status, headers: { ...common, 'content-encoding': 'br' }, body: file.compressed }
}

export function pathIn({ url }: FileRequest): string {
  return url.split('?', 1)[0] ?? '/'
}

export function acceptsPages({ headers }: FileRequest): boolean {
  return (headers.accept ?? '').includes('text/html')
}
