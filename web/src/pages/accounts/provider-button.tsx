import { useProviderSignIn } from '../../api/session-query.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorReport } from '../shell/error-report.tsx'

interface ProviderButtonProps {
  /** The name of the provider, as the server calls it. */
  name: string
  next?: string | undefined
  /** The first choice if there is no other way to sign in. */
  look?: 'primary' | 'secondary'
}

/** Signs in with the OpenID Connect provider of the server. */
export function ProviderButton({ name, next, look = 'secondary' }: ProviderButtonProps) {
  const signIn = useProviderSignIn()
  return (
    <div className="flex flex-col gap-5">
      <ErrorReport key={signIn.submittedAt} error={signIn.error} />
      <Button look={look} isBusy={signIn.isPending || signIn.isSuccess} onClick={() => signIn.mutate(next)}>
        Sign in with {name}
      </Button>
    </div>
  )
}
