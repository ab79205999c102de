import { type Application, ExitCode, proposeCompletions, run } from '@stricli/core'
import { buildCli } from './application.ts'
import type { CliContext } from './cli-context.ts'
import { EXIT } from './exit-code-values.ts'
import { createTerminal } from './output/terminal.ts'

/** Runs the command of the process to its end. Resolves with the exit code. */
export async function runCli(from: NodeJS.Process): Promise<number> {
  const interruption = interruptBy(from)
  exitWithoutReader(from)
  const terminal = createTerminal(from)
  if (from.env['TOUCHSTONE_API_KEY']) terminal.hide(from.env['TOUCHSTONE_API_KEY'].trim())
  const status: { exitCode?: number | string | null } = {}
  const context: CliContext = {
    // Stricli writes its exit code here and not into the process: ours differ.
    process: Object.assign(status, { stdout: from.stdout, stderr: from.stderr, env: from.env }),
    terminal,
    env: from.env,
    folder: from.cwd(),
    stdin: from.stdin,
    signal: interruption,
    exitCode: EXIT.ok,
  }
  return runCommand(from.argv.slice(2), context)
}

/** Runs one command. Resolves with the exit code. */
export async function runCommand(args: string[], context: CliContext): Promise<number> {
  const application = buildCli(context.terminal)
  const words = readArguments(args)
  if (words[0] === COMPLETE) {
    await printProposals(application, words.slice(1), context)
    return EXIT.ok
  }
  await run(application, words, context)
  if (context.exitCode !== EXIT.ok) return context.exitCode
  return exitCodeOfParsing(context.process.exitCode)
}

/** What the scripts of `completion` call. Not a command, because it completes the commands. */
const COMPLETE = '__complete'

/** One proposal per line for the last word, which may be empty. */
async function printProposals(
  application: Application<CliContext>,
  words: string[],
  context: CliContext,
): Promise<void> {
  const proposals = await proposeCompletions(application, words, context)
  for (const { completion } of proposals) context.terminal.data(`${completion}\n`)
}

/** `touchstone help eval run` is `touchstone eval run --help`. */
function readArguments([first, ...rest]: string[]): string[] {
  if (first === undefined) return []
  return first === 'help' ? [...rest, '--help'] : [first, ...rest]
}

function exitCodeOfParsing(code: number | string | null | undefined): number {
  if (code === ExitCode.Success || code === undefined || code === null) return EXIT.ok
  return code === ExitCode.UnknownCommand || code === ExitCode.InvalidArgument ? EXIT.usage : EXIT.unexpected
}

/** The first Ctrl-C lets a command end in order, the second one ends it at once. */
function interruptBy(from: NodeJS.Process): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    from.on(name, () => {
      if (controller.signal.aborted) from.exit(EXIT.interrupted)
      controller.abort()
    })
  }
  return controller.signal
}

/** `touchstone traces list | head` must not print a stack when head has seen enough. */
function exitWithoutReader(from: NodeJS.Process): void {
  from.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') from.exit(EXIT.brokenPipe)
    throw error
  })
}
