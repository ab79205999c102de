import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import type { Invitation } from '../../api/generated/api.ts'
import { instanceQuery } from '../../api/instance-query.ts'
import { invitationQuery, useSignUpByInvitation } from '../../api/invitation-query.ts'
import { sessionQuery, useSignIn } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { AcceptInvitation } from './accept-invitation.tsx'
import { type Account, AccountForm } from './account-form.tsx'
import { ProviderButton } from './provider-button.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useLinkToken } from './use-link-token.ts'
import { useRedirectAfterSignIn } from './use-redirect-after-sign-in.ts'

export function InvitePage() {
  const token = useLinkToken()
  const lookup = useQuery({ ...invitationQuery(token), enabled: token !== '' })
  const current = useQuery(sessionQuery)
  const { data: invitation, error } = lookup
  const { data: session } = current
  if (!token || hasStatus(error, 400, 401, 404, 409, 410)) return <InvitationRejected />
  if (error || current.error) return <InvitationUnread query={error ? lookup : current} />
  if (!invitation || session === undefined) return <Skeleton rows={3} />
  if (session) return <AcceptInvitation token={token} invitation={invitation} email={session.user.email} />
  return <Newcomer token={token} invitation={invitation} />
}

/** Whether the address has an account is unknown here, so both options are offered. */
function Newcomer({ token, invitation }: { token: string; invitation: Invitation }) {
  const [way, setWay] = useState<'sign-up' | 'sign-in'>('sign-up')
  const signUp = useSignUpByInvitation()
  const signIn = useSignIn()
  const redirect = useRedirectAfterSignIn()
  const provider = useQuery(instanceQuery).data
  const enter = (account: Account, workspaceId: string) =>
    signIn.mutate(account, { onSuccess: () => redirect(pagePaths.application(workspaceId)) })
  const submit = (account: Account) => {
    // The link works once: if only signing in failed, the account exists already.
    if (signUp.data) return enter(account, signUp.data.workspaceId)
    const { name, password } = account
    signUp.mutate({ token, name, password }, { onSuccess: ({ workspaceId }) => enter(account, workspaceId) })
  }
  if (provider?.oidcOnly) return <JoinByProvider invitation={invitation} name={provider.oidcName ?? ''} />
  if (way === 'sign-in') {
    return (
      <>
        <EntryHeader title={`Join ${invitation.workspaceName}`}>
          You were invited as {invitation.role}. Sign in with your account to join.
        </EntryHeader>
        {/* A full page load, so that the session is fetched again; the link is still in the address. */}
        <SignInForm email={invitation.email} cacheAfter="cleared" onSignedIn={() => window.location.reload()} />
        <OtherWay onClick={() => setWay('sign-up')}>I have no account yet</OtherWay>
      </>
    )
  }
  return (
    <>
      <EntryHeader title={`Join ${invitation.workspaceName}`}>
        You were invited as {invitation.role}. Choose a name and a password to create your account.
      </EntryHeader>
      <AccountForm
        submitLabel="Join"
        email={invitation.email}
        isBusy={signUp.isPending || signIn.isPending || signIn.isSuccess}
        error={signUp.error ?? signIn.error}
        onSubmit={submit}
      />
      {provider?.oidcName && (
        <div className="mt-5 flex flex-col">
          <ProviderButton name={provider.oidcName} />
        </div>
      )}
      <OtherWay onClick={() => setWay('sign-in')}>I have an account already</OtherWay>
    </>
  )
}

/** New users join by signing in, because the provider has verified their address. */
function JoinByProvider({ invitation, name }: { invitation: Invitation; name: string }) {
  return (
    <>
      <EntryHeader title={`Join ${invitation.workspaceName}`}>
        You were invited as {invitation.role}. Sign in as{' '}
        <strong className="font-medium text-ink">{invitation.email}</strong>. If you have an account already, open this
        link again afterwards.
      </EntryHeader>
      <ProviderButton name={name} look="primary" />
    </>
  )
}

function OtherWay({ children, onClick }: { children: ReactNode; onClick: () => void }) {
  return (
    <p className="mt-6">
      <Button look="quiet" onClick={onClick}>
        {children}
      </Button>
    </p>
  )
}

function InvitationUnread({ query }: ComponentProps<typeof QueryError>) {
  return (
    <>
      <EntryHeader title="This invitation could not be checked" />
      <QueryError query={query} />
    </>
  )
}

function InvitationRejected() {
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
