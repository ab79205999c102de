import { timestamp } from '../../base/clock.ts'
import type { Context } from '../../http/route.ts'
import type { OidcSettings } from '../../sign-in-config.ts'
import type { Queries } from '../../storage/db.ts'
import { deletePasswordResetsOf, insertUser } from '../accounts/account-queries.ts'
import { checkEmail } from '../accounts/accounts.ts'
import { recordAccountAudit } from '../accounts/manage-accounts.ts'
import { endSessions } from '../accounts/session-queries.ts'
import { revokeAccountGrants } from '../members/account-grants.ts'
import { joinByAddress } from '../members/invitation-operations.ts'
import { deleteSecondFactor } from '../second-factor/second-factor-queries.ts'
import type { OidcIdentity } from './oidc-client.ts'
import {
  deletePassword,
  findUserByIdentity,
  findUserToLink,
  insertIdentity,
  updateEmailVerified,
} from './oidc-queries.ts'

/** Why a user whom the provider has authenticated may not sign in. The sign-in page explains each code. */
export type OidcDenial = 'unverified' | 'domain' | 'unknown' | 'disabled' | 'linked'

type Work = Pick<Context, 'clock' | 'newId' | 'requestId' | 'address'> & { tx: Queries }

type Resolved = { user: { id: string; email: string } } | { denial: OidcDenial }

/**
 * The account of an identity: the linked one, else the one with the verified address, else a new one for an invited user (or for everyone, if
 * so configured).
 */
export async function resolveOidcUser(
  work: Work,
  identity: OidcIdentity,
  settings: Pick<OidcSettings, 'emailDomains' | 'newUsers'>,
): Promise<Resolved> {
  const email = identity.email.toLowerCase()
  if (!identity.isEmailVerified || !isAddress(email)) return { denial: 'unverified' }
  const { emailDomains } = settings
  if (emailDomains.length > 0 && !emailDomains.includes(email.slice(email.lastIndexOf('@') + 1)))
    return { denial: 'domain' }
  const linked = await findUserByIdentity(work.tx, keyOf(identity))
  if (linked) return linked.disabledAt === null ? { user: linked } : { denial: 'disabled' }
  const known = await findUserToLink(work.tx, email)
  if (!known) return createUser(work, { ...identity, email }, settings.newUsers)
  if (known.disabledAt !== null) return { denial: 'disabled' }
  return linkUser(work, known, identity)
}

/**
 * Links an account to the identity. Addresses of accounts with a password were never verified, so anyone may have created the account: what its
 * creator knows or has created must not open it any longer.
 */
async function linkUser(
  work: Work,
  user: { id: string; email: string; emailVerified: number },
  identity: OidcIdentity,
): Promise<Resolved> {
  const { tx } = work
  if (!(await insertLink(work, user.id, identity))) return { denial: 'linked' }
  const by = { kind: 'session', userId: user.id } as const
  if (user.emailVerified === 0) {
    await deletePassword(tx, user.id)
    await deletePasswordResetsOf(tx, user.id)
    await deleteSecondFactor(tx, user.id)
    await endSessions(tx, user.id)
    await revokeAccountGrants({ ...work, by }, user.id)
    await updateEmailVerified(tx, user.id)
  }
  await recordAccountAudit({ ...work, by }, user.id, 'account.linked', identity.issuer)
  return { user }
}

async function createUser(work: Work, identity: OidcIdentity, newUsers: OidcSettings['newUsers']): Promise<Resolved> {
  const { tx, clock, newId } = work
  const { email, name } = identity
  const user = await insertUser(tx, { id: newId(), email, name, createdAt: timestamp(clock.now()) })
  // Another request has created it in the meantime; the user can try again.
  if (!user) return { denial: 'linked' }
  await updateEmailVerified(tx, user.id)
  // The address is verified, so its invitations need no link.
  const joined = await joinByAddress(work, user)
  if (newUsers === 'invited' && joined === 0) return { denial: 'unknown' }
  return (await insertLink(work, user.id, identity)) ? { user } : { denial: 'linked' }
}

function insertLink({ tx, clock, newId }: Work, userId: string, identity: OidcIdentity): Promise<boolean> {
  return insertIdentity(tx, { id: newId(), userId, identity: keyOf(identity), now: timestamp(clock.now()) })
}

/** A subject is unique only for its issuer. */
function keyOf({ issuer, subject }: OidcIdentity): string {
  return `${issuer} ${subject}`
}

function isAddress(email: string): boolean {
  try {
    checkEmail(email)
    return true
  } catch {
    // Accounts with other addresses cannot exist.
    return false
  }
}
