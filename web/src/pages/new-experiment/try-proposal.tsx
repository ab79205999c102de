import { Play, Square } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { type NewExperiment, useTryProposal } from '../../api/experiments-query.ts'
import type { ExperimentPreview } from '../../api/generated/api.ts'
import { loadPart } from '../../api/server-connection.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import { ErrorReport } from '../shell/error-report.tsx'

const Tried = lazy(async () => ({ default: (await loadPart(() => import('./tried-items.tsx'))).TriedItems }))

const ITEMS = 8

/** What was tried last, and how to try again. One for the button in the summary and the result in the form. */
export function useOneProposal(applicationId: string, componentId: string, request: NewExperiment | undefined) {
  const preview = useTryProposal(applicationId, componentId)
  const stop = useRef<AbortController>(undefined)
  const [tried, setTried] = useState<{ of: string; result: ExperimentPreview }>()
  const own = JSON.stringify(request)
  return {
    tried: tried?.result,
    isOfEarlier: tried !== undefined && tried.of !== own,
    isBusy: preview.isPending,
    error: preview.error,
    begin() {
      if (!request || own === undefined) return
      stop.current = new AbortController()
      const { name: _, ...body } = request
      preview.mutate({ body, signal: stop.current.signal }, { onSuccess: (result) => setTried({ of: own, result }) })
    },
    end() {
      stop.current?.abort()
      preview.reset()
    },
  }
}

type OneProposal = ReturnType<typeof useOneProposal>

interface TryButtonProps {
  one: OneProposal
  disabledReason: string | undefined
}

/** Below the button that starts: what it costs is small, and it says whether the models understand each other. */
export function TryButton({ one, disabledReason }: TryButtonProps) {
  if (one.isBusy)
    return (
      <Button className="mt-2 w-full" onClick={one.end}>
        <Spinner />
        <Square aria-hidden className="size-3.5" />
        Stop trying
      </Button>
    )
  return (
    <Button look="quiet" className="mt-2 w-full" disabledReason={disabledReason} onClick={one.begin}>
      <Play aria-hidden className="size-3.5" />
      {one.tried ? 'Try another proposal' : 'Try one proposal'}
    </Button>
  )
}

/** One proposal on 8 training items: what it changes, what it gains, and what it has cost. */
export function TriedProposal({ one: { tried, error, isBusy, isOfEarlier } }: { one: OneProposal }) {
  if (!tried && !error && !isBusy) return null
  return (
    <FormSection
      title="One proposal, tried"
      aside={tried && `nothing is stored${isOfEarlier ? ' · before your last change' : ''}`}
    >
      <div aria-live="polite">
        {isBusy && (
          <p className="text-data text-soft">
            The start answers {ITEMS} training items, a model reads what went wrong and proposes another prompt, and
            that answers the same items.
          </p>
        )}
        {error !== null && <ErrorReport error={error} />}
        {tried && !isBusy && (
          <Suspense>
            <Tried result={tried} isOfEarlier={isOfEarlier} />
          </Suspense>
        )}
      </div>
    </FormSection>
  )
}
