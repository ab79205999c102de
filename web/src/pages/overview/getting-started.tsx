import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { exampleDataQuery, useRemoveExampleData } from '../../api/onboarding-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

/** While the example data is there, the way to own traces, and to an application without it. */
export function GettingStarted({ applicationId }: { applicationId: string }) {
  const { data: example } = useQuery(exampleDataQuery(applicationId))
  const remove = useRemoveExampleData(applicationId)
  const status = useRef<HTMLParagraphElement>(null)
  const disabledReason = missingRole(useMe(), 'editor', 'Removing the example data')
  const isLoaded = example?.loaded === true
  return (
    <section aria-label="Getting started" className="mt-8 flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p ref={status} tabIndex={-1} role="status" className="mr-auto text-data text-soft outline-none">
          {isLoaded ? 'Some of this is example data. ' : ''}
          {remove.isSuccess && !isLoaded ? 'The example data was removed.' : ''}
        </p>
        {isLoaded && (
          <Button
            look="quiet"
            size="small"
            isBusy={remove.isPending}
            disabledReason={disabledReason}
            // The pressed button is gone afterwards.
            onClick={() => remove.mutate(undefined, { onSuccess: () => status.current?.focus() })}
          >
            Remove example data
          </Button>
        )}
        <Link to={pagePaths.firstTrace(applicationId)} className={buttonClass('quiet', 'small')}>
          How to send traces
        </Link>
      </div>
      <ErrorReport error={remove.error} />
    </section>
  )
}
