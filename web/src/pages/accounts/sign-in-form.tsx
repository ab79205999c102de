import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { instanceQuery } from '../../api/instance-query.ts'
import { type CacheAfterSignIn, useSignIn } from '../../api/session-query.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { readSecret } from '../shell/read-text.ts'
import { CodeStep } from './code-step.tsx'
import { ProviderButton } from './provider-button.tsx'

interface SignInFormProps {
  email: string
  /** Where the provider sends the browser back to. */
  next?: string
  cacheAfter: CacheAfterSignIn
  onSignedIn: () => void
}

/** Signs in one known account, without leaving the page. */
export function SignInForm({ email, next, cacheAfter, onSignedIn }: SignInFormProps) {
  const { data: instance } = useQuery(instanceQuery)
  const signIn = useSignIn(cacheAfter)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = readSecret(new FormData(event.currentTarget), 'password')
    signIn.mutate({ email, password }, { onSuccess: ({ challenge }) => (challenge ? undefined : onSignedIn()) })
  }
  const challenge = signIn.data?.challenge
  if (challenge) {
    return <CodeStep challenge={challenge} cacheAfter={cacheAfter} onSignedIn={onSignedIn} onBack={signIn.reset} />
  }
  const provider = instance?.oidcName ?? undefined
  if (provider !== undefined && instance?.oidcOnly) return <ProviderButton name={provider} next={next} look="primary" />
  return (
    <div className="flex flex-col gap-5">
      <form method="post" onSubmit={submit} className="flex flex-col gap-5">
        <TextField label="E-mail" name="email" type="email" autoComplete="username" defaultValue={email} readOnly />
        <PasswordField name="password" kind="current" />
        <ErrorReport key={signIn.submittedAt} error={signIn.error} />
        <Button type="submit" look="primary" isBusy={signIn.isPending || signIn.isSuccess}>
          Sign in
        </Button>
      </form>
      {provider !== undefined && <ProviderButton name={provider} next={next} />}
    </div>
  )
}
