import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CliContext } from './cli-context.ts'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit-code-values.ts'

/** The content of a file, or of stdin for `-`. */
export async function readInput({ stdin, folder }: CliContext, file: string): Promise<Buffer> {
  if (file === '-') {
    const pieces: Uint8Array[] = []
    for await (const piece of stdin) pieces.push(piece)
    return Buffer.concat(pieces)
  }
  try {
    return await readFile(resolve(folder, file))
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`, EXIT.usage)
  }
}
