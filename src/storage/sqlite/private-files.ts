/**
 * The embedded database, its log, its index for searching and its copies hold everything that the workspaces do: only the user who runs the
 * server may read them, regardless of the umask of the shell. SQLite gives its log and its shared memory the permissions of the database.
 */
import { chmodSync, closeSync, openSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { codeOf } from '../../base/errors.ts'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS = 0o077
const SUFFIXES = ['', '-wal', '-shm', '-search', '-search-wal', '-search-shm', '-secret-key', '.lock', '.pid']

/** Creates the file if it does not exist: the next process that opens it finds an empty file that others cannot read. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', FILE_MODE))
}

/** Removes permissions that an earlier version gave to other users. Returns the changed files, and those that could not be changed. */
export function tightenDatabaseFiles(file: string): { tightened: string[]; failed: string[] } {
  const tightened: string[] = []
  const failed: string[] = []
  const tighten = (path: string, mode: number) => {
    const result = tightenPath(path, mode)
    if (result === 'tightened') tightened.push(path)
    if (result === 'failed') failed.push(path)
  }
  for (const suffix of SUFFIXES) tighten(`${file}${suffix}`, FILE_MODE)
  const folder = dirname(file)
  if (holdsOnly(folder, basename(file))) tighten(folder, FOLDER_MODE)
  return { tightened, failed }
}

function tightenPath(path: string, mode: number): 'tightened' | 'failed' | 'unchanged' {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || (found.mode & OTHERS) === 0) return 'unchanged'
  try {
    chmodSync(path, mode)
    return 'tightened'
  } catch (error) {
    // Another user's file, or a file system without permissions: the operator has to decide.
    if (codeOf(error) === 'EPERM' || codeOf(error) === 'EROFS' || codeOf(error) === 'ENOTSUP') return 'failed'
    throw error
  }
}

/** A folder that others use too, such as /tmp, is not ours to close. */
function holdsOnly(folder: string, name: string): boolean {
  return readdirSync(folder).every((entry) => entry.startsWith(name))
}
