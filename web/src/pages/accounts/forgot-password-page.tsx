import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { instanceQuery } from '../../api/instance-query.ts'
import { useRequestPasswordReset } from '../../api/password-reset-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { TextField } from '../../ui/text-field.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { readText } from '../shell/read-text.ts'

/** Asks for a link to reset the password. The page does not say whether the address has an account. */
export function ForgotPasswordPage() {
  const { data: instance } = useSuspenseQuery(instanceQuery)
  const request = useRequestPasswordReset()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    request.mutate(readText(new FormData(event.currentTarget), 'email'))
  }
  if (!instance.sendsMail || instance.oidcOnly) return <NoMail />
  if (request.isSuccess) return <Requested email={request.variables} />
  return (
    <>
      <EntryHeader title="Forgot your password?">You get a link that sets a new one.</EntryHeader>
      <form method="post" onSubmit={submit} className="flex flex-col gap-5">
        <TextField label="E-mail" name="email" type="email" autoComplete="username" required />
        <ErrorReport key={request.submittedAt} error={request.error} />
        <Button type="submit" look="primary" isBusy={request.isPending}>
          Send link
        </Button>
      </form>
      <BackToSignIn />
    </>
  )
}

function Requested({ email }: { email: string }) {
  return (
    <div ref={focusOnMount} role="status" tabIndex={-1} className="outline-none">
      <EntryHeader title="Look into your inbox">
        If <strong className="font-medium text-ink">{email}</strong> has an account with a password, a link is on its
        way. It works once, for an hour. If nothing arrives within a few minutes, look into your spam folder.
      </EntryHeader>
      <BackToSignIn />
    </div>
  )
}

function NoMail() {
  return (
    <>
      <EntryHeader title="This server sends no links for passwords">
        Ask the operator of this server for a link to set a new password.
      </EntryHeader>
      <Link to={pagePaths.signIn()} className={buttonClass('primary')}>
        Go to sign in
      </Link>
    </>
  )
}

function BackToSignIn() {
  return (
    <p className="mt-6">
      <Link to={pagePaths.signIn()} className={buttonClass('quiet')}>
        Back to sign in
      </Link>
    </p>
  )
}
