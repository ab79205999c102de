import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { useSetUp } from '../../api/instance-query.ts'
import { useSignIn } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { type Account, AccountForm } from './account-form.tsx'
import { useLinkToken } from './use-link-token.ts'
import { useRedirectAfterSignIn } from './use-redirect-after-sign-in.ts'

const route = getRouteApi('/_entry/setup')

export function SetupPage() {
  const instance = route.useLoaderData()
  const token = useLinkToken()
  const setUp = useSetUp()
  const signIn = useSignIn()
  const redirect = useRedirectAfterSignIn()
  const submit = ({ name, ...account }: Account) =>
    setUp.mutate(
      { token, ...account, ...(name === '' ? {} : { name }) },
      { onSuccess: () => signIn.mutate(account, { onSuccess: () => redirect() }) },
    )

  if (!instance.setupNeeded || hasStatus(setUp.error, 409)) return <SetupDone />
  if (!token || hasStatus(setUp.error, 401)) return <SetupLinkRejected />
  if (signIn.isError) return <SetupDone>Your account is ready, but signing in did not work: try it by hand.</SetupDone>
  return (
    <>
      <EntryHeader title="Welcome to Touchstone">
        Create the first account. It owns this server’s application.
      </EntryHeader>
      <AccountForm
        submitLabel="Create account"
        isNameOptional
        isBusy={setUp.isPending || signIn.isPending || signIn.isSuccess}
        error={setUp.error}
        onSubmit={submit}
      />
    </>
  )
}

function SetupDone({ children = 'The first account exists. Sign in with it, or ask its owner for an invitation.' }) {
  return (
    <SetupMessage title="This server is set up" text={children}>
      <Link to={pagePaths.signIn()} className={buttonClass('primary')}>
        Go to sign in
      </Link>
    </SetupMessage>
  )
}

function SetupLinkRejected() {
  return (
    <SetupMessage
      title="This set-up link does not work"
      text="It is incomplete, or older than an hour. The server prints a link when it starts and no account exists: restart it, look at its output, and open the whole link."
    />
  )
}

function SetupMessage({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <>
      <EntryHeader title={title}>{text}</EntryHeader>
      {children}
    </>
  )
}
