import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { instanceQuery } from '../../api/instance-query.ts'
import { useSignUp } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { AccountForm } from './account-form.tsx'
import { useRedirectAfterSignIn } from './use-redirect-after-sign-in.ts'

const route = getRouteApi('/_entry/sign-up')

export function SignUpPage() {
  const { next } = route.useSearch()
  const { data: instance } = useSuspenseQuery(instanceQuery)
  const signUp = useSignUp()
  const redirect = useRedirectAfterSignIn()
  if (!instance.signupOpen) return <SignUpClosed />
  return (
    <>
      <EntryHeader title="Create an account" />
      <AccountForm
        submitLabel="Create account"
        isBusy={signUp.isPending}
        error={signUp.error}
        onSubmit={(account) => signUp.mutate(account, { onSuccess: () => redirect(next) })}
      />
      <p className="mt-6 text-soft">
        Already have one?{' '}
        <Link to={pagePaths.signIn()} className="font-medium text-gold-ink underline underline-offset-4">
          Sign in
        </Link>
      </p>
    </>
  )
}

function SignUpClosed() {
  return (
    <>
      <EntryHeader title="Accounts come by invitation">
        Ask an admin of your application to invite you. You will get a link that creates your account.
      </EntryHeader>
      <Link to={pagePaths.signIn()} className={buttonClass('primary')}>
        Go to sign in
      </Link>
    </>
  )
}
