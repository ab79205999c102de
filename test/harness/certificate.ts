import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Certificate = { cert: Buffer; key: Buffer }

/** A certificate for 127.0.0.1 and localhost that clients trust if it is their `ca`. */
export function createCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-tls-'))
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  try {
    execFileSync('openssl', [...request, ...names, '-keyout', keyFile, '-out', certFile], { stdio: 'pipe' })
    return { cert: readFileSync(certFile), key: readFileSync(keyFile) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export type MountedCertificate = { certFile: string; keyFile: string; replace(next: Certificate): void; remove(): void }

/** As Kubernetes mounts a secret: the files are links into a folder that is itself a link, and only that link is replaced. */
export function mountCertificate(first: Certificate): MountedCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-mount-'))
  let version = 0
  const replace = ({ cert, key }: Certificate) => {
    version += 1
    const target = mkdtempSync(join(folder, `..version-${version}-`))
    writeFileSync(join(target, 'tls.crt'), cert)
    writeFileSync(join(target, 'tls.key'), key)
    symlinkSync(target, join(folder, '..next'))
    renameSync(join(folder, '..next'), join(folder, '..data'))
  }
  replace(first)
  for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), join(folder, name))
  return {
    certFile: join(folder, 'tls.crt'),
    keyFile: join(folder, 'tls.key'),
    replace,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
