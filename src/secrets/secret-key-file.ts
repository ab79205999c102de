/**
 * The keys that this server generated, in a file that only its user may read: 64 hexadecimal digits per line. The first one seals;
 * the previous ones after it still open secrets that were sealed with them.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { AppError, codeOf } from '../base/errors.ts'

/** The key to seal with; created if there is no file yet. */
export function ensureSecretKey(file: string): Buffer {
  const [known] = readSecretKeyFile(file)
  if (known) return known
  try {
    // Not a rename, which would overwrite the file of another process.
    writeKeys(file, [newKey()], linkSync)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unusable(error)
  }
  const [created] = readSecretKeyFile(file)
  if (!created) throw unusable(new Error(`${file} was created but does not exist`))
  return created
}

/** Adds a new key before those in the file, which are still needed. Must not run in two processes at once. */
export function addSecretKey(file: string): void {
  writeKeys(file, [newKey(), ...readSecretKeyFile(file)], renameSync)
}

/** Removes keys that are older than this one. */
export function removeKeysBefore(file: string, oldest: Buffer): void {
  const keys = readSecretKeyFile(file)
  const index = keys.findIndex((key) => key.equals(oldest))
  if (index >= 0) writeKeys(file, keys.slice(0, index + 1), renameSync)
}

/** Empty if there is no such file. */
export function readSecretKeyFile(file: string): Buffer[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw unusable(error)
  }
  const lines = text.split(/\s+/)
  if (!lines.every((line) => /^[0-9a-f]{64}$/i.test(line)))
    throw unusable(new Error(`${file} does not contain 64 hexadecimal digits per line`))
  return lines.map((line) => Buffer.from(line, 'hex'))
}

function newKey(): Buffer {
  return randomBytes(32)
}

/** Writes the file atomically. */
function writeKeys(file: string, keys: readonly Buffer[], publish: (draft: string, file: string) => void): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      // Keeps the owner of the file, because commands are often run by another user than the server.
      const owner = statSync(file, { throwIfNoEntry: false })
      if (owner) fchownSync(descriptor, owner.uid, owner.gid)
      writeFileSync(descriptor, keys.map((key) => `${key.toString('hex')}\n`).join(''))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    publish(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  syncFolder(dirname(file))
}

/** Without this, a power failure could lose the file, and with it the sealed secrets. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The cause contains a path of the server, so it is only logged. */
function unusable(cause: unknown): AppError {
  return new AppError(503, 'The secret key of this server cannot be used; see the log of the server', { cause })
}
