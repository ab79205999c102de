import type { Clock } from '../../base/clock.ts'
import type { Principal } from '../../base/principal.ts'
import { linkMail, nameInMail } from '../../mail/link-mail.ts'
import type { Mail } from '../../mail/mailer.ts'
import type { Db } from '../../storage/db.ts'
import { findUser } from '../accounts/account-queries.ts'
import { allowEvent, type EventLimit } from '../sign-in/allow-event.ts'
import { findWorkspaceName } from './workspace-name-queries.ts'

/** Otherwise an account could send mail to anyone, as often as it wants. The link is in the response in any case. */
const RECIPIENT_LIMIT: EventLimit = { max: 3, refillMs: 20 * 60_000 }
const SENDER_LIMIT: EventLimit = { max: 50, refillMs: 5 * 60_000 }

type Invited = { by: Principal; invitation: { email: string; role: string }; link: string }

/** Undefined if too many were sent. */
export async function composeInvitation(
  context: { db: Db; clock: Clock },
  { by, invitation: { email, role }, link }: Invited,
): Promise<Mail | undefined> {
  if (!(await allowEvent(context, `invitation-mail-to:${email}`, RECIPIENT_LIMIT))) return undefined
  if (!(await allowEvent(context, `invitation-mail-by:${by.userId}`, SENDER_LIMIT))) return undefined
  const { read } = context.db
  const inviter = await findUser(read, by.userId)
  const application = nameInMail((await findWorkspaceName(read, by.workspaceId)) ?? '')
  return linkMail({
    to: email,
    subject: `Invitation to ${application} on Touchstone`,
    paragraphs: [
      `${nameInMail(inviter?.name ?? '')} (${inviter?.email}) invites you to the application ${application} as ${role}. Open this link to join:`,
      'The link works once, for seven days. If you do not know the sender, ignore this e-mail.',
    ],
    link,
    action: 'Join the application',
  })
}
