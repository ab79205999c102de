import type { CliContext } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { type ProgressLine, startProgressLine } from './progress-line.ts'

interface Waiting<Ended> {
  /** As in "The trial continues". */
  what: string
  /** Shown until there is progress. */
  first: string
  wait: (line: ProgressLine) => Promise<Ended>
  /** The commands that wait again and cancel. */
  again: string
  cancel: string
}

/** Waits with a line of progress. Ctrl-C only ends the waiting: the work continues, and the error says how to go on. */
export async function waitOnServer<Ended>(
  { terminal, signal }: CliContext,
  { what, first, wait, again, cancel }: Waiting<Ended>,
): Promise<Ended> {
  const line = startProgressLine(terminal, first)
  try {
    return await wait(line)
  } catch (error) {
    if (!signal.aborted) throw error
    throw new CliError(
      `The ${what} continues on the server. To wait for it again:\n  ${again}\nTo stop it:\n  ${cancel}`,
      EXIT.interrupted,
    )
  } finally {
    line.end()
  }
}
