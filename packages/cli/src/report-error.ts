import type { CliContext, CommonFlags } from './cli-context.ts'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit-code-values.ts'

/** Prints what went wrong and what to do about it. Resolves with the exit code. */
export async function reportError(context: CliContext, error: unknown, { debug }: CommonFlags): Promise<number> {
  const { terminal, signal } = context
  if (signal.aborted && !(error instanceof CliError)) return EXIT.interrupted
  // Loaded here, because the classes of the client's errors are not needed to start.
  const { exitCodeOf } = await import('./exit-codes.ts')
  const code = exitCodeOf(error)
  const message = error instanceof Error ? error.message || error.name : String(error)
  const prefix = code === EXIT.gateShut || code === EXIT.cannotDecide ? '' : 'touchstone: '
  terminal.message(`${prefix}${message}`)
  const hint = hintOf(code, error)
  if (hint) terminal.message(hint)
  if (debug && error instanceof Error && error.stack) terminal.message(error.stack)
  return code
}

function hintOf(code: number, error: unknown): string | undefined {
  if (error instanceof CliError) return undefined
  if (code === EXIT.authentication)
    return 'Run touchstone whoami to see which key is used, or touchstone login for a new one.'
  if (code === EXIT.unavailable) return 'Run touchstone doctor to find the reason.'
  if (code === EXIT.unexpected && error instanceof Error && 'requestId' in error && error.requestId) {
    return `The log of the server has this request as ${error.requestId}.`
  }
  return undefined
}
