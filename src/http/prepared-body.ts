import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const brotliBytes = promisify(brotliCompress)
const gzipBytes = promisify(gzip)

type PreparedOptions = { isCompressible: boolean; brotli?: Buffer | undefined; etagPrefix?: string }

/** A body with an ETag: hashed once, and compressed once per encoding, for the first client that accepts it. */
export class PreparedBody {
  readonly bytes: Buffer
  readonly #isCompressible: boolean
  readonly #hash: string
  readonly #compressed = new Map<Encoding, Promise<Buffer>>()
  #latin1: string | undefined

  /**
   * `brotli` are the same bytes, compressed when the file was built: smaller than what a server has the time for. `etagPrefix` is what a
   * client may recognize in the ETag, such as the number of a change.
   */
  constructor(bytes: Buffer, { isCompressible, brotli, etagPrefix = '' }: PreparedOptions) {
    this.bytes = bytes
    this.#isCompressible = isCompressible
    if (brotli) this.#compressed.set('br', Promise.resolve(brotli))
    this.#hash = etagPrefix + createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  }

  /** As a string, in which each character is a byte. Converted once: for a small body, each time would be 6 % of what a request allocates. */
  get latin1(): string {
    this.#latin1 ??= this.bytes.toString('latin1')
    return this.#latin1
  }

  /** The encoding to send, of those that the client accepts. */
  encodingFor(accepted: Encoding | undefined): Encoding | undefined {
    return this.#isCompressible ? accepted : undefined
  }

  /** Each encoding has its own, because a strong ETag stands for exact bytes. */
  etag(encoding: Encoding | undefined): string {
    return `"${this.#hash}${encoding ? `-${encoding}` : ''}"`
  }

  encoded(encoding: Encoding): Promise<Buffer> {
    const known = this.#compressed.get(encoding)
    if (known) return known
    const bytes = encoding === 'br' ? brotliBytes(this.bytes, BROTLI) : gzipBytes(this.bytes)
    this.#compressed.set(encoding, bytes)
    return bytes
  }
}

/** RFC 9110, section 13.1.2: a list of ETags, which proxies may have weakened. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((entry) => ['*', etag].includes(entry.trim().replace(/^W\//, '')))
}
