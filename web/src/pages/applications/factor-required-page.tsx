import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { TopRow } from '../shell/top-row.tsx'

const route = getRouteApi('/_signed-in/factor-required/$applicationId')

/** Instead of the pages of an application that requires a second factor, for a member who has none. */
export function FactorRequiredPage() {
  const { applicationId } = route.useParams()
  const { data: workspaces } = useSuspenseQuery(workspacesQuery)
  const name = workspaces.find(({ id }) => id === applicationId)?.name ?? 'This application'
  return (
    <>
      <TopRow current="Second factor required" />
      <section className="mx-auto max-w-lg px-6 py-24">
        <title>Second factor required · Touchstone</title>
        <h1 className="mb-4 font-display text-title font-semibold tracking-tight wrap-anywhere">
          {name} requires a second factor
        </h1>
        <p className="mb-6 text-soft">
          Turn one on in your account: a code of an authenticator app, in addition to your password. Then you can enter
          again, and your API keys for this application work.
        </p>
        <div className="flex flex-wrap gap-3">
          <Link to={pagePaths.account()} hash="second-factor" className={buttonClass('primary')}>
            Turn on a second factor
          </Link>
          {workspaces.length > 1 && (
            <Link to={pagePaths.home()} className={buttonClass()}>
              Your applications
            </Link>
          )}
        </div>
      </section>
    </>
  )
}
