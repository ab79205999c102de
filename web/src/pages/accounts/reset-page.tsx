import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ComponentProps, type FormEvent, useState } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import type { PasswordResetLink } from '../../api/generated/api.ts'
import { instanceQuery } from '../../api/instance-query.ts'
import { passwordResetQuery, useResetPassword } from '../../api/password-reset-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { countOf } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { readSecret } from '../shell/read-text.ts'
import { useLinkToken } from './use-link-token.ts'

/** Sets a new password, with a link that was sent by e-mail or that the operator of the server created. */
export function ResetPage() {
  const token = useLinkToken()
  const lookup = useQuery({ ...passwordResetQuery(token), enabled: token !== '' })
  const { data: account, error } = lookup
  const reset = useResetPassword()
  const [isRevoking, setIsRevoking] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = readSecret(new FormData(event.currentTarget), 'password')
    reset.mutate({ token, password, revokeGrants: isRevoking })
  }
  if (reset.isSuccess) return <PasswordChanged />
  if (!token || hasStatus(error, 400, 404) || hasStatus(reset.error, 404)) return <ResetLinkRejected />
  if (error) return <ResetLinkUnread query={lookup} />
  if (!account) return <Skeleton rows={2} />
  const grants = describeGrants(account.grants)
  return (
    <>
      <EntryHeader title="Choose a new password">You will be signed out everywhere.</EntryHeader>
      <form method="post" onSubmit={submit} className="flex flex-col gap-5">
        <TextField
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={account.email}
          readOnly
        />
        <PasswordField name="password" kind="new" />
        {grants !== undefined && account.revokesGrants && (
          <Notice>Programs that use this account stop: the new password revokes {grants}.</Notice>
        )}
        {grants !== undefined && !account.revokesGrants && (
          <label htmlFor="revoke-grants" className="flex cursor-pointer items-start gap-3 text-data touch:min-h-11">
            <Checkbox
              id="revoke-grants"
              className="mt-0.5"
              state={isRevoking ? 'on' : 'off'}
              onChange={() => setIsRevoking(!isRevoking)}
            />
            Also revoke {grants}. Do this if someone else may have used your account; otherwise they keep working.
          </label>
        )}
        <ErrorReport error={reset.error} />
        <Button type="submit" look="primary" isBusy={reset.isPending}>
          Change password
        </Button>
      </form>
    </>
  )
}

/** What the account has given to others; undefined if there is nothing. */
function describeGrants({ apiKeys, invitations, sharedLinks }: PasswordResetLink['grants']) {
  const parts = [
    apiKeys > 0 && countOf(apiKeys, 'API key'),
    invitations > 0 && countOf(invitations, 'open invitation'),
    sharedLinks > 0 && countOf(sharedLinks, 'shared link'),
  ].filter((part) => part !== false)
  if (parts.length === 0) return undefined
  return new Intl.ListFormat('en').format(parts)
}

function PasswordChanged() {
  return (
    <div ref={focusOnMount} role="status" tabIndex={-1} className="outline-none">
      <EntryHeader title="Your password is changed">Sign in with the new one.</EntryHeader>
      <Link to={pagePaths.signIn()} className={buttonClass('primary')}>
        Go to sign in
      </Link>
    </div>
  )
}

function ResetLinkUnread({ query }: ComponentProps<typeof QueryError>) {
  return (
    <>
      <EntryHeader title="This link could not be checked" />
      <QueryError query={query} />
    </>
  )
}

function ResetLinkRejected() {
  const { data: instance } = useQuery(instanceQuery)
  const reasons = 'It is incomplete, older than an hour, replaced by another, or used already.'
  if (!instance?.sendsMail)
    return (
      <EntryHeader title="This link does not work">
        {reasons} Ask the operator of this server for a new one.
      </EntryHeader>
    )
  return (
    <>
      <EntryHeader title="This link does not work">{reasons}</EntryHeader>
      <Link to={pagePaths.forgotPassword()} className={buttonClass('primary')}>
        Request a new link
      </Link>
    </>
  )
}
