/** Runs a command line. Returns the exit code; an error is one line on standard error. */
import { AppError, DatabaseOutage } from '../base/errors.ts'
import { VERSION } from '../base/version.ts'
import { type Config, readConfig } from '../config.ts'
import { EXIT_NEWER_DATABASE, NewerDatabaseError } from '../storage/migrate.ts'
import type { CommandName } from './commands.ts'
import { helpText } from './help.ts'
import { type Options, parseCommandLine } from './parse-command-line.ts'

export async function run(words: string[]): Promise<number> {
  try {
    const parsed = parseCommandLine(words)
    if (parsed.action === 'version') return print(`${VERSION}\n`)
    if (parsed.action === 'help') return print(helpText(parsed.command))
    // Settings are read before the rest of the program is loaded, so that an invalid one is reported at once.
    return await dispatch[parsed.command](readConfig(), parsed)
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`)
    return error instanceof NewerDatabaseError ? EXIT_NEWER_DATABASE : 1
  }
}

type Arguments = { rest: string[]; options: Options }

const dispatch: Record<CommandName, (config: Config, given: Arguments) => Promise<number>> = {
  serve: (config, { options }) => serve(config, { serves: true, works: !options.isWithoutWorker }),
  work: (config) => serve(config, { serves: false, works: true }),
  migrate: async (config) => (await import('./database-commands.ts')).runMigrate(config),
  'api-key': async (config, { rest, options }) =>
    (await import('./api-key-command.ts')).runApiKeyCommand(config, rest, options),
  user: async (config, { rest }) => (await import('./user-command.ts')).runUserCommand(config, rest),
  backup: async (config, { rest }) => (await import('./database-commands.ts')).runBackup(config, rest),
  move: async (config, { options }) => (await import('./database-commands.ts')).runMove(config, options),
  distribute: async (config, { options }) => (await import('./database-commands.ts')).runDistribute(config, options),
  'rotate-key': async (config) => (await import('./rotate-key-command.ts')).runRotateKey(config),
  remap: async (config, { options }) => (await import('./remap-command.ts')).runRemap(config, options),
}

async function serve(config: Config, mode: { serves: boolean; works: boolean }): Promise<number> {
  const { runServe } = await import('./serve-command.ts')
  return runServe(config, mode)
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

/** The message of an expected error; anything else is a bug, whose stack helps to fix it. */
function messageOf(error: unknown): string {
  // What the database itself says, for example about its limit of connections: its operator is the reader.
  if (error instanceof DatabaseOutage && error.cause instanceof Error && !error.message.includes(error.cause.message))
    return `${error.message} (${error.cause.message})`
  if (error instanceof AppError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
