import { Play, Square } from 'lucide-react'
import { useRef, useState } from 'react'
import { type NewExperiment, useTryProposal } from '../../api/experiments-query.ts'
import type { ExperimentPreview } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { countOf, formatCost, formatScore } from '../../ui/format-number.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import { DiffView } from '../prompts/saved-diff.tsx'
import { ErrorReport } from '../shell/error-report.tsx'

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
        {tried && !isBusy && <Tried result={tried} isOfEarlier={isOfEarlier} />}
      </div>
    </FormSection>
  )
}

function Tried({ result, isOfEarlier }: { result: ExperimentPreview; isOfEarlier: boolean }) {
  const { items, means, diagnosis, diff, reason, costUsd } = result
  return (
    <div
      className={`rounded-card border border-line bg-surface p-5 text-data shadow-lift max-sm:p-4 ${isOfEarlier ? 'opacity-70' : ''}`}
    >
      <p data-estimate="" className="tabular-nums">
        {means.start !== null && means.proposal !== null ? (
          <>
            <b data-mean="" className="font-display text-section font-semibold">
              {formatScore(means.start)} → {formatScore(means.proposal)}
            </b>{' '}
            <span className="text-soft">
              on {countOf(items.length, 'training item')}, n {items.length}: too few to say whether it helps
            </span>
          </>
        ) : (
          <b className="font-semibold">
            {reason === null ? 'No answer could be scored.' : `Rejected: ${settingsInWords(reason)}.`}
          </b>
        )}
        <span className="block text-soft">
          {costUsd === null ? 'The cost is unknown.' : `It has cost ${formatCost(costUsd)}.`}
        </span>
      </p>
      {diagnosis && (
        <p className="mt-3 border-l-2 border-line pl-3 text-soft wrap-anywhere">
          <b className="font-semibold text-ink">Diagnosis of the items it saw:</b> {diagnosis}
        </p>
      )}
      {diff && (
        <div className="mt-4">
          <DiffView diff={{ ...diff, from: 0, to: 1, parameters: [] }} />
        </div>
      )}
      <ul aria-label="The items that were tried" className="mt-4 divide-y divide-line/60">
        {items.map(({ itemId, question, start, proposal }) => (
          <li key={itemId} className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 py-2">
            <span className="min-w-0">
              <bdi className="block truncate">{question ?? 'an item without text'}</bdi>
              <span className="block truncate text-meta text-soft">
                <bdi>{start.output ?? start.error ?? 'no answer'}</bdi>
                {proposal && (
                  <>
                    {' '}
                    → <bdi>{proposal.output ?? proposal.error ?? 'no answer'}</bdi>
                  </>
                )}
              </span>
            </span>
            <Change before={start.score} after={proposal?.score ?? null} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Change({ before, after }: { before: number | null; after: number | null }) {
  const word = (value: number | null) =>
    value === null ? 'no score' : value === 1 ? 'pass' : value === 0 ? 'fail' : formatScore(value)
  if (before === null || after === null || before === after)
    return (
      <span className="text-soft tabular-nums">
        {before === after ? word(before) : `${word(before)} → ${word(after)}`}
      </span>
    )
  return (
    <span className={`font-medium tabular-nums ${after > before ? 'text-good' : 'text-danger'}`}>
      <span aria-hidden>{after > before ? '▲' : '▼'}</span> {word(before)} → {word(after)}
    </span>
  )
}
