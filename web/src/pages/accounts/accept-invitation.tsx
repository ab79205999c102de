import type { Invitation } from '../../api/generated/api.ts'
import { useAcceptInvitation } from '../../api/invitation-query.ts'
import { useSignOut } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { useRedirectAfterSignIn } from './use-redirect-after-sign-in.ts'

interface AcceptInvitationProps {
  token: string
  invitation: Invitation
  /** The email of the signed-in account. */
  email: string
}

/** A user becomes a member only after confirming, and only with the invited email address. */
export function AcceptInvitation({ token, invitation, email }: AcceptInvitationProps) {
  const accept = useAcceptInvitation()
  const redirect = useRedirectAfterSignIn()
  if (invitation.email !== email) return <OtherAccount invitation={invitation} email={email} />
  const join = () =>
    accept.mutate(token, { onSuccess: ({ workspaceId }) => redirect(pagePaths.application(workspaceId)) })
  return (
    <>
      <EntryHeader title={`Join ${invitation.workspaceName}`}>
        You were invited as {invitation.role}. You are signed in as{' '}
        <strong className="font-medium text-ink">{email}</strong>.
      </EntryHeader>
      <div className="flex flex-col gap-5">
        <ErrorReport error={accept.error} />
        <Button look="primary" isBusy={accept.isPending || accept.isSuccess} onClick={join}>
          Join
        </Button>
      </div>
    </>
  )
}

function OtherAccount({ invitation, email }: { invitation: Invitation; email: string }) {
  const signOut = useSignOut()
  return (
    <>
      <EntryHeader title="This invitation is for another account">
        It is for <strong className="font-medium text-ink">{invitation.email}</strong>, and you are signed in as{' '}
        <strong className="font-medium text-ink">{email}</strong>. Sign out to accept it.
      </EntryHeader>
      <div className="flex flex-col gap-5">
        <ErrorReport error={signOut.error} />
        <Button
          look="primary"
          isBusy={signOut.isPending}
          // A full page load, so that no data of this account stays in memory; the link is still in the address.
          onClick={() => signOut.mutate(undefined, { onSuccess: () => window.location.reload() })}
        >
          Sign out
        </Button>
      </div>
    </>
  )
}
