import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'

const PACKAGE = 'touchstone-server'

/** Runs the server, if its package is installed in this project or next to the command line, and ends with it. */
export async function serve(this: CliContext, _flags: CommonFlags, ...args: string[]): Promise<void> {
  const program = findProgram(this.folder)
  if (!program) {
    throw new CliError(
      `The package ${PACKAGE} is not installed. Run it without installing:\n  npx ${PACKAGE}`,
      EXIT.notFound,
    )
  }
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit', env: this.env, cwd: this.folder })
  // A terminal sends Ctrl-C to both; a supervisor signals only this process.
  const stop = () => void child.kill('SIGTERM')
  this.signal.addEventListener('abort', stop)
  const ended = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  this.signal.removeEventListener('abort', stop)
  this.exitCode =
    ended.code ?? (ended.signal === 'SIGINT' || ended.signal === 'SIGTERM' ? EXIT.interrupted : EXIT.unexpected)
}

/** The program of the package. Its manifest is looked for by path, because a package need not export it. */
function findProgram(folder: string): string | undefined {
  for (const from of [join(folder, 'package.json'), fileURLToPath(import.meta.url)]) {
    for (const modules of createRequire(from).resolve.paths(PACKAGE) ?? []) {
      const manifest = join(modules, PACKAGE, 'package.json')
      if (!existsSync(manifest)) continue
      const { bin }: { bin?: string | Record<string, string> } = JSON.parse(readFileSync(manifest, 'utf8'))
      const program = typeof bin === 'object' ? (bin[PACKAGE] ?? Object.values(bin)[0]) : bin
      if (program) return join(modules, PACKAGE, program)
    }
  }
  return undefined
}
