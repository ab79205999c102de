import type { FormEvent } from 'react'
import { useSignIn } from '../../api/session-query.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { readSecret } from '../shell/read-text.ts'
import { CodeStep } from './code-step.tsx'
import { SignInError } from './sign-in-error.tsx'

/** Separate from the sign-in page: its return address would contain the secret of the link. */
export function InvitationSignIn({ email }: { email: string }) {
  const signIn = useSignIn()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = readSecret(new FormData(event.currentTarget), 'password')
    signIn.mutate({ email, password }, { onSuccess: ({ challenge }) => (challenge ? undefined : reload()) })
  }
  const challenge = signIn.data?.challenge
  if (challenge) return <CodeStep challenge={challenge} onSignedIn={reload} onBack={signIn.reset} />
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-5">
      <TextField label="E-mail" name="email" type="email" autoComplete="username" defaultValue={email} readOnly />
      <PasswordField name="password" kind="current" />
      <SignInError key={signIn.submittedAt} error={signIn.error} />
      <Button type="submit" look="primary" isBusy={signIn.isPending || signIn.isSuccess}>
        Sign in
      </Button>
    </form>
  )
}

/** A full page load, so that the session is fetched again; the link is still in the address. */
function reload(): void {
  window.location.reload()
}
