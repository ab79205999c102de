import { createInterface } from 'node:readline/promises'
import type { CliContext } from './cli-context.ts'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit-code-values.ts'

/** Asks before something is deleted. Without a terminal to ask on, `--yes` is required. */
export async function confirmDeletion(
  context: CliContext,
  what: string,
  isConfirmed: boolean | undefined,
): Promise<void> {
  if (isConfirmed) return
  if (!context.stdin.isTTY || !context.terminal.isLive) {
    throw new CliError(`This would delete ${what}. Pass --yes to delete it without being asked.`, EXIT.usage)
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const reply = await prompt.question(`Delete ${what}? This cannot be undone. [y/N] `, { signal: context.signal })
    if (!/^y(es)?$/i.test(reply.trim())) throw new CliError('Nothing was deleted.', EXIT.unexpected)
  } finally {
    prompt.close()
  }
}
