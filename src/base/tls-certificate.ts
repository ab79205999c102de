/**
 * The certificate of the server. It is read again when one of its files changes, so that renewed certificates need no restart.
 *
 * The files are polled: `stat` follows symbolic links, which Kubernetes and certbot replace, and it works on network file systems.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext, type SecureContext, type TlsOptions } from 'node:tls'
import { AppError } from './errors.ts'
import type { Logger } from './log.ts'

type TlsFiles = { certFile: string; keyFile: string }
type Pem = { cert: Buffer; key: Buffer }

export type TlsCertificate = {
  pem(): Pem
  context(): SecureContext
  /** Calls the listener with each new certificate that is valid. */
  onChange(listener: (pem: Pem) => void): void
  close(): void
}

export type TlsCertificateOptions = TlsFiles & { log: Logger; now: () => number; pollMs?: number | undefined }

const POLL_MS = 5_000

/** TLS 1.2 is the oldest version that is considered secure (RFC 8996). */
export const TLS_OPTIONS = { minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } as const

/** For `createServer`. Only clients without SNI get the context of the server, and a server may listen on several addresses. */
export function tlsServerOptions(certificate: TlsCertificate): TlsOptions {
  return { ...TLS_OPTIONS, ...certificate.pem(), SNICallback: (_name, done) => done(null, certificate.context()) }
}

/** Throws if the files cannot be read or do not belong together. */
export function openTlsCertificate({ log, now, pollMs = POLL_MS, ...files }: TlsCertificateOptions): TlsCertificate {
  const listeners: ((pem: Pem) => void)[] = []
  let current = load(files)
  warnIfExpired()

  function warnIfExpired(): void {
    const { validTo } = new X509Certificate(current.pem.cert)
    if (Date.parse(validTo) <= now()) log.warn({ validTo }, 'the TLS certificate has expired')
  }

  function reload(): void {
    try {
      const next = load(files)
      if (next.pem.cert.equals(current.pem.cert) && next.pem.key.equals(current.pem.key)) return
      current = next
      for (const listener of listeners) listener(next.pem)
      log.info('the TLS certificate was read again')
      warnIfExpired()
    } catch (error) {
      // Also between the writes of the two files; the second one is another change.
      log.error({ err: error }, 'the new TLS certificate cannot be used; the previous one stays in use')
    }
  }

  const watched = [files.certFile, files.keyFile]
  for (const file of watched) watchFile(file, { interval: pollMs, persistent: false }, reload)
  return {
    pem: () => current.pem,
    context: () => current.context,
    onChange: (listener) => void listeners.push(listener),
    close() {
      for (const file of watched) unwatchFile(file, reload)
    },
  }
}

function load({ certFile, keyFile }: TlsFiles): { pem: Pem; context: SecureContext } {
  const pem = { cert: read('TOUCHSTONE_TLS_CERT', certFile), key: read('TOUCHSTONE_TLS_KEY', keyFile) }
  try {
    new X509Certificate(pem.cert)
  } catch (error) {
    throw new AppError(500, `TOUCHSTONE_TLS_CERT names the file ${certFile}, which is not a PEM certificate`, {
      cause: error,
    })
  }
  try {
    return { pem, context: createSecureContext({ ...pem, minVersion: TLS_OPTIONS.minVersion }) }
  } catch (error) {
    throw new AppError(
      500,
      `TOUCHSTONE_TLS_KEY names the file ${keyFile}, which is not the unencrypted PEM key of the certificate in ${certFile}`,
      { cause: error },
    )
  }
}

function read(setting: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new AppError(500, `${setting} names the file ${file}, which cannot be read`, { cause: error })
  }
}
