import { listAccountsOfAnyWorkspace } from '../auth/accounts/account-queries.ts'
import {
  type AccountOperation,
  createResetToken,
  disableAccount,
  enableAccount,
  endAccountSessions,
  RESET_LINK_MINUTES,
  resetSecondFactor,
} from '../auth/accounts/manage-accounts.ts'
import { AppError } from '../base/errors.ts'
import { NIL_ID } from '../base/ids.ts'
import type { Config } from '../config.ts'
import { openForCommand } from './open-for-command.ts'

const ACTIONS = ['reset-link', 'disable', 'enable', 'end-sessions', 'reset-second-factor'] as const

/** Manages accounts on the server, without authentication: its operator can read the database anyway. */
export async function runUserCommand(config: Config, [action, email, ...rest]: string[]): Promise<number> {
  const chosen = ACTIONS.find((known) => known === action)
  const isValid = action === 'list' ? email === undefined : chosen !== undefined && email !== undefined
  if (!isValid || rest.length > 0) {
    throw new AppError(
      500,
      'Use `user list`, or `user reset-link`, `disable`, `enable`, `end-sessions` or `reset-second-factor` with an e-mail address',
    )
  }
  return openForCommand(config, async ({ storage, clock, newId }) => {
    if (chosen === undefined || email === undefined) {
      for (const account of await listAccountsOfAnyWorkspace(storage.read)) {
        const state = account.disabledAt === null ? 'enabled ' : 'disabled'
        process.stdout.write(`${state}  ${account.email}  ${account.name}\n`)
      }
      return 0
    }
    const by = { kind: 'command-line', userId: NIL_ID } as const
    const context = { clock, newId, requestId: 'command-line', address: '', by }
    const output = await storage.transaction((tx) => runAction(email, chosen, { ...context, tx }, config.publicUrl))
    process.stdout.write(output)
    if (chosen === 'reset-link')
      process.stderr.write(
        `It works once, within ${RESET_LINK_MINUTES} minutes, ends all sessions of the account and revokes the API keys, invitations and shared links that it created.\n`,
      )
    return 0
  })
}

async function runAction(
  email: string,
  action: (typeof ACTIONS)[number],
  work: AccountOperation,
  publicUrl: string,
): Promise<string> {
  switch (action) {
    case 'reset-link':
      // The token is in the fragment, which browsers do not send, so it never appears in a log.
      return `${publicUrl}/reset#${await createResetToken(work, email, 'operator')}\n`
    case 'disable':
      await disableAccount(work, email)
      return 'Disabled. Sessions have ended, and keys do not work until the account is enabled.\n'
    case 'enable':
      await enableAccount(work, email)
      return 'Enabled.\n'
    case 'end-sessions':
      return `Ended ${await endAccountSessions(work, email)} session(s).\n`
    case 'reset-second-factor':
      return (await resetSecondFactor(work, email)) === 'reset'
        ? 'The second factor is off, and all sessions have ended. Signing in needs only the password.\n'
        : 'The account has no second factor.\n'
  }
}
