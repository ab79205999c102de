import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { instanceQuery } from '../../api/instance-query.ts'
import { useSignIn } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { readSecret, readText } from '../shell/read-text.ts'
import { CodeStep } from './code-step.tsx'
import { ProviderButton } from './provider-button.tsx'
import { useRedirectAfterSignIn } from './use-redirect-after-sign-in.ts'

const route = getRouteApi('/_entry/sign-in')

export function SignInPage() {
  const { next, problem } = route.useSearch()
  const { data: instance } = useSuspenseQuery(instanceQuery)
  const signIn = useSignIn()
  const redirect = useRedirectAfterSignIn()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const credentials = { email: readText(form, 'email'), password: readSecret(form, 'password') }
    signIn.mutate(credentials, { onSuccess: ({ challenge }) => (challenge ? undefined : redirect(next)) })
  }
  const challenge = signIn.data?.challenge
  if (challenge) {
    return (
      <>
        <EntryHeader title="Second factor">Your password is right. Now prove that you have your device.</EntryHeader>
        <CodeStep challenge={challenge} onSignedIn={() => void redirect(next)} onBack={signIn.reset} />
      </>
    )
  }
  return (
    <>
      <EntryHeader title="Sign in" />
      {instance.setupNeeded && (
        <div className="mb-6">
          <Notice title="This server has no account yet">
            Open the set-up link that the server printed when it started; it creates the first one.
          </Notice>
        </div>
      )}
      {problem && (
        <div role="alert" className="mb-6">
          <Notice tone="danger" title="You are not signed in">
            {describeSignInProblem(problem)}
          </Notice>
        </div>
      )}
      {!instance.oidcOnly && (
        <form method="post" onSubmit={submit} className="flex flex-col gap-5">
          <TextField label="E-mail" name="email" type="email" autoComplete="username" required />
          <PasswordField name="password" kind="current" />
          <ErrorReport key={signIn.submittedAt} error={signIn.error} />
          <Button type="submit" look="primary" isBusy={signIn.isPending}>
            Sign in
          </Button>
        </form>
      )}
      {instance.oidcName !== null && (
        <div className={instance.oidcOnly ? '' : 'mt-5 flex flex-col'}>
          <ProviderButton name={instance.oidcName} next={next} look={instance.oidcOnly ? 'primary' : 'secondary'} />
        </div>
      )}
      {instance.sendsMail && !instance.oidcOnly && (
        <p className="mt-6">
          <Link to={pagePaths.forgotPassword()} className={buttonClass('quiet')}>
            Forgot password?
          </Link>
        </p>
      )}
      {instance.signupOpen && !instance.oidcOnly && (
        <p className="mt-6 text-soft">
          New here?{' '}
          <Link
            to={pagePaths.signUp()}
            search={next ? { next } : {}}
            className="font-medium text-gold-ink underline underline-offset-4"
          >
            Create an account
          </Link>
        </p>
      )}
    </>
  )
}

/** Why signing in with the provider did not work, by the code that the server puts into the address. */
const problems: Record<string, string> = {
  expired: 'The sign-in took too long, or was started in another browser. Try again.',
  denied: 'The provider did not sign you in.',
  failed:
    'The response of the provider was not valid. Try again; if it happens again, ask the operator of this server.',
  unverified: 'The provider has not verified your e-mail address.',
  domain: 'Your e-mail address belongs to a domain that may not sign in here.',
  unknown: 'You have no account here. Ask an admin of your application for an invitation to your e-mail address.',
  disabled: 'Your account is disabled. Ask the operator of this server.',
  linked:
    'The account with your e-mail address belongs to another user of the provider. Ask the operator of this server.',
}

function describeSignInProblem(code: string): string {
  return problems[code] ?? 'Signing in did not work. Try again.'
}
