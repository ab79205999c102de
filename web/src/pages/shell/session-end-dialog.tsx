import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { dismissSessionEnd, restoreSession } from '../../api/session-end.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SignInForm } from '../accounts/sign-in-form.tsx'

/** On top of the page, which goes on where it was after signing in. */
export function SessionEndDialog() {
  const queryClient = useQueryClient()
  const router = useRouter()
  const email = queryClient.getQueryData(sessionQuery.queryKey)?.user.email
  const { href } = router.latestLocation
  const goOn = async () => {
    restoreSession()
    await queryClient.invalidateQueries()
    await router.invalidate()
  }
  if (email === undefined) return null
  return (
    <Dialog title="Your session has ended" isOpen onClose={dismissSessionEnd}>
      <p className="mb-5 text-soft">Sign in again to go on where you were. What you have typed is still here.</p>
      <SignInForm email={email} next={href} cacheAfter="kept" onSignedIn={() => void goOn()} />
      <p className="mt-5 text-data text-soft">
        {/* Not a link of the router: no data of this account may stay in memory. */}
        <a
          href={`${pagePaths.signIn()}?${new URLSearchParams({ next: href })}`}
          className="font-medium text-gold-ink underline underline-offset-4"
        >
          Use another account
        </a>
      </p>
    </Dialog>
  )
}
