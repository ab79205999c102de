/** The one program's sub-commands. Answers the exit code; what went wrong is one sentence on standard error. */
import { parseArgs } from 'node:util'
import { AppError } from '../base/errors.ts'
import { VERSION } from '../base/version.ts'
import { type Config, readConfig } from '../config.ts'
import { EXIT_NEWER_DATABASE, NewerDatabaseError } from '../storage/migrate.ts'

const HELP = `Touchstone ${VERSION}

  touchstone [serve]                  answer requests and run jobs
  touchstone serve --no-worker        answer requests only
  touchstone work                     run jobs only, beside other processes on a shared database
  touchstone migrate                  bring the database up to this version and end
  touchstone api-key create [--name NAME] [--application ID]
  touchstone api-key list [--application ID]
  touchstone api-key revoke KEY-ID [--application ID]
  touchstone backup FILE              copy the embedded database while it is in use
  touchstone rotate-key               encrypt the keys of models with a new secret key

Behind npm, put two dashes first: npm start -- api-key list
Settings are environment variables; the README lists them.
`

export async function run(commandLine: string[]): Promise<number> {
  try {
    return await dispatch(commandLine)
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    return error instanceof NewerDatabaseError ? EXIT_NEWER_DATABASE : 1
  }
}

async function dispatch(commandLine: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: commandLine,
    allowPositionals: true,
    options: {
      'no-worker': { type: 'boolean', default: false },
      name: { type: 'string' },
      application: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
      version: { type: 'boolean', short: 'v', default: false },
    },
  })
  const [command = 'serve', ...rest] = positionals
  if (values.version) return print(`${VERSION}\n`)
  if (values.help || command === 'help') return print(HELP)
  // Settings are read before the rest of the program is loaded: a wrong one is told at once.
  switch (command) {
    case 'serve':
      return serve(readConfig(), { serves: true, works: !values['no-worker'] })
    case 'work':
      return serve(readConfig(), { serves: false, works: true })
    case 'migrate': {
      const settings = readConfig()
      return (await import('./migrate-command.ts')).runMigrate(settings)
    }
    case 'api-key': {
      const settings = readConfig()
      return (await import('./api-key-command.ts')).runApiKeyCommand(settings, rest, values)
    }
    case 'backup': {
      const settings = readConfig()
      return (await import('./backup-command.ts')).runBackup(settings, rest)
    }
    case 'rotate-key': {
      const settings = readConfig()
      return (await import('./rotate-key-command.ts')).runRotateKey(settings, rest)
    }
    default:
      throw new AppError(500, `There is no command ${command}. \`touchstone help\` lists them`)
  }
}

async function serve(config: Config, mode: { serves: boolean; works: boolean }): Promise<number> {
  const { runServe } = await import('./serve-command.ts')
  return runServe(config, mode)
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

/** Sentences are ours or the argument parser's; anything else is a bug, whose stack helps to mend it. */
function sentenceOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (isUsage) return `${error.message}. \`touchstone help\` lists the commands`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
