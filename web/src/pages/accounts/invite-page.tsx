import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { hasStatus } from '../../api/api-error.ts'
import { invitationQuery, useAcceptInvitation } from '../../api/invitation-query.ts'
import { useSignIn } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { type Account, AccountForm } from './account-form.tsx'
import { useContinue } from './use-continue.ts'

export function InvitePage() {
  const token = useLocation({ select: (location) => location.hash })
  const { data: invitation, error } = useQuery({ ...invitationQuery(token), enabled: token !== '' })
  const accept = useAcceptInvitation()
  const signIn = useSignIn()
  const goOn = useContinue()
  const submit = (account: Account) =>
    accept.mutate(
      { token, name: account.name, password: account.password },
      {
        onSuccess: ({ workspaceId }) =>
          signIn.mutate(account, { onSuccess: () => goOn(pagePaths.components(workspaceId)) }),
      },
    )

  if (!token || hasStatus(error, 400, 401, 404, 409, 410)) return <InvitationRefused />
  if (error) return <ErrorReport error={error} />
  if (!invitation) return <Skeleton rows={3} />
  return (
    <>
      <EntryHeader title={`Join ${invitation.workspaceName}`}>
        You were invited to this AI application. Choose a name and a password to create your account.
      </EntryHeader>
      <AccountForm
        submitLabel="Join"
        email={invitation.email}
        isBusy={accept.isPending || signIn.isPending || signIn.isSuccess}
        error={accept.error ?? signIn.error}
        onSubmit={submit}
      />
    </>
  )
}

function InvitationRefused() {
  return (
    <>
      <EntryHeader title="This invitation does not work">
        It is incomplete, too old, taken back, or used already. If you have an account, sign in; else ask for a new
        invitation.
      </EntryHeader>
      <Link to={pagePaths.signIn()} className={buttonClass('primary')}>
        Go to sign in
      </Link>
    </>
  )
}
