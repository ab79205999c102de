/** The key that this server made for itself, in a file that only its user may read: 64 hexadecimal digits. */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, codeOf } from '../base/errors.ts'

/** The key in the file, which is made if it is not there. A file that is there is never written to: it opens what is stored. */
export function takeSecretKeyFile(file: string): Buffer {
  const known = readSecretKeyFile(file)
  if (known) return known
  try {
    makeSecretKeyFile(file)
  } catch (error) {
    throw unusable(error)
  }
  const made = readSecretKeyFile(file)
  if (!made) throw unusable(new Error(`${file} was made, and is not there`))
  return made
}

/** Undefined if there is no such file. */
export function readSecretKeyFile(file: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusable(error)
  }
  if (!/^[0-9a-f]{64}$/i.test(text)) throw unusable(new Error(`${file} does not hold 64 hexadecimal digits`))
  return Buffer.from(text, 'hex')
}

/** Appears with its whole content or not at all, and does nothing if another process was faster. */
function makeSecretKeyFile(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      writeFileSync(descriptor, `${randomBytes(32).toString('hex')}\n`)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    // Not a renaming, which would overwrite.
    linkSync(draft, file)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  syncFolder(dirname(file))
}

/** Otherwise a power cut may take the name of the file along, and with it what was sealed. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The reason names a path of the server, which is for its log. */
function unusable(cause: unknown): AppError {
  return new AppError(503, 'The secret key of this server cannot be used; its log says why', { cause })
}
