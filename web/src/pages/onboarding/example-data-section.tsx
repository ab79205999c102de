import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { useRef } from 'react'
import { exampleDataQuery, useLoadExampleData, useRemoveExampleData } from '../../api/onboarding-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ErrorReport } from '../shell/error-report.tsx'

interface ExampleDataSectionProps {
  applicationId: string
  disabledReason: string | undefined
}

export function ExampleDataSection({ applicationId, disabledReason }: ExampleDataSectionProps) {
  const { data: example } = useSuspenseQuery(exampleDataQuery(applicationId))
  const load = useLoadExampleData(applicationId)
  const remove = useRemoveExampleData(applicationId)
  const text = useRef<HTMLParagraphElement>(null)
  const finish = () => {
    load.reset()
    remove.reset()
    // The pressed button is gone.
    text.current?.focus()
  }
  return (
    <section aria-label="Example data" className="mt-9 flex flex-col gap-4 border-t border-line pt-6">
      <div className="flex items-center gap-x-5 gap-y-4 max-sm:flex-col max-sm:items-stretch">
        <Boxes aria-hidden className="size-6 shrink-0 text-faint max-sm:hidden" />
        <p ref={text} tabIndex={-1} role="status" className="mr-auto max-w-prose text-soft outline-none">
          {example.loaded ? loadedText : notLoadedText}
        </p>
        {example.loaded ? (
          <div className="flex flex-wrap gap-2">
            {example.componentId && (
              <Link to={pagePaths.component(applicationId, example.componentId)} className={buttonClass()}>
                Open the example
              </Link>
            )}
            <Button
              look="quiet"
              isBusy={remove.isPending}
              disabledReason={disabledReason}
              onClick={() => remove.mutate(undefined, { onSuccess: finish })}
            >
              Remove example data
            </Button>
          </div>
        ) : (
          <Button
            isBusy={load.isPending}
            disabledReason={disabledReason}
            onClick={() => load.mutate(undefined, { onSuccess: finish })}
          >
            Load example data
          </Button>
        )}
      </div>
      <ErrorReport error={load.error ?? remove.error} />
    </section>
  )
}

const notLoadedText = (
  <>
    <strong className="font-semibold text-ink">Not ready to connect anything?</strong> Load a support agent with 12
    questions, a prompt with five versions, three evaluated runs and ratings by two people. One click removes it again.
  </>
)

const loadedText = (
  <>
    <strong className="font-semibold text-ink">The example data is loaded.</strong> A support agent with 12 questions, a
    prompt with five versions, three evaluated runs and ratings by two people. Removing it also removes your ratings of
    its answers.
  </>
)
