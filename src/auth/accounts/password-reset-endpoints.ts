/**
 * Sends a link to reset the password by e-mail. The response is the same for every address, and it is sent before the account is looked up, so
 * that neither its text nor its time reveals whether there is one.
 */
import { linkMail } from '../../mail/link-mail.ts'
import type { Mail } from '../../mail/mailer.ts'
import { allowEvent, type EventLimit } from '../sign-in/allow-event.ts'
import { type Call, type Endpoint, type EndpointDeps, exactFields, originOf } from '../sign-in/auth-endpoint.ts'
import { json } from '../sign-in/auth-requests.ts'
import { findAccountByEmail, findPassword } from './account-queries.ts'
import { checkEmail } from './accounts.ts'
import { createResetToken, RESET_LINK_MINUTES } from './manage-accounts.ts'

/** Per account: three mails, then one every 20 minutes. */
const MAIL_LIMIT: EventLimit = { max: 3, refillMs: 20 * 60_000 }

/** None if the server sends no e-mail, or if passwords are turned off. */
export function passwordResetEndpoints({
  options,
  throttle,
}: Pick<EndpointDeps, 'options' | 'throttle'>): [string, Endpoint][] {
  const { db, clock, newId, publicUrl, mails } = options
  if (!mails || !options.isPasswordLoginAllowed) return []

  async function composeReset(call: Call, email: string): Promise<Mail | undefined> {
    const account = await findAccountByEmail(db.read, email)
    if (!account || account.disabledAt !== null) return undefined
    // A user of a provider must not get a second way to sign in that the provider does not control.
    if (!(await findPassword(db.read, account.id))?.hash) return undefined
    if (!(await allowEvent(options, `reset-mail:${account.id}`, MAIL_LIMIT))) return undefined
    const by = { kind: 'session', userId: account.id } as const
    const work = { by, clock, newId, ...originOf(call) }
    const token = await db.transaction((tx) => createResetToken({ ...work, tx }, email, 'e-mail'))
    return linkMail({
      to: account.email,
      subject: 'Reset your Touchstone password',
      paragraphs: [
        `Someone asked to reset the password of your account at ${new URL(publicUrl).host}. Open this link to choose a new one:`,
        `The link works once, for ${RESET_LINK_MINUTES} minutes. If it was not you, ignore this e-mail; your password stays as it is. If someone else may have used your account, revoke its API keys there, too.`,
      ],
      // The token is in the fragment, which browsers do not send, so it never appears in a log.
      link: `${publicUrl}/reset#${token}`,
      action: 'Choose a new password',
    })
  }

  async function request(call: Call): Promise<Response> {
    const { email = '' } = call.fields
    checkEmail(email)
    await throttle.countRequest('password-reset', call.address)
    mails?.add('password reset', () => composeReset(call, email))
    return json(200, { success: true })
  }

  return [['request-password-reset', { method: 'POST', for: 'anyone', body: exactFields('email'), run: request }]]
}
