import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Maximize2 } from 'lucide-react'
import type { RunCase, RunCaseRow } from '../../api/generated/api.ts'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { traceQuery } from '../../api/traces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { PeekPanel } from '../../ui/peek-panel.tsx'
import { Cost, Duration } from '../../ui/quantities.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { RatingWord } from '../agreement/rating-word.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { TitledText } from '../trace/titled-text.tsx'
import { CaseRating } from './case-rating.tsx'
import { ScoreValue } from './case-score.tsx'

interface CasePeekProps {
  runKey: RunKey
  datasetId: string
  row: RunCaseRow
  /** The shown repetition; without it the first one. */
  traceId: string | undefined
  lookOf: (rating: string) => RatingLook
  nameOf: (userId: string) => string
  position: string
  onTrace: (traceId: string) => void
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onClose: () => void
}

/** One case next to the list: question, expected, answer, scores with reasons, ratings. */
export function CasePeek({ runKey, datasetId, row, traceId, lookOf, nameOf, onTrace, ...panel }: CasePeekProps) {
  const { applicationId, componentId } = runKey
  const shown = row.cases.find((one) => one.traceId === traceId) ?? row.cases[0]
  const traceDbId = shown?.traceDbId ?? undefined
  return (
    <PeekPanel
      {...panel}
      label="Case"
      openLink={
        traceDbId && (
          <Link to={pagePaths.trace(applicationId, traceDbId)} className={buttonClass('quiet', 'small')}>
            <Maximize2 aria-hidden className="size-3.5" />
            Open trace
          </Link>
        )
      }
      footer={traceDbId && shown && <CaseRating key={traceDbId} runKey={runKey} traceDbId={traceDbId} shown={shown} />}
    >
      {row.cases.length > 1 && (
        <div className="mb-3">
          <Segmented
            label="Repetition"
            value={shown?.traceId ?? ''}
            options={row.cases.map((one, index) => ({ value: one.traceId, label: String(index + 1) }))}
            onChange={onTrace}
          />
          <p className="mt-1 text-meta text-faint">
            {countOf(row.repetitions, 'answer')} to the same item
            {row.repetitions > row.cases.length && `, the first ${row.cases.length} of them here`}
          </p>
        </div>
      )}
      {traceDbId === undefined ? (
        <p className="text-soft">The trace has not arrived, or was deleted.</p>
      ) : (
        <Texts applicationId={applicationId} traceDbId={traceDbId} row={row} />
      )}
      {row.itemId !== null && (
        <p className="mt-2 text-meta">
          <Link
            to={pagePaths.dataset(applicationId, componentId, datasetId)}
            search={{ item: row.itemId }}
            className="rounded-sm text-soft underline decoration-edge underline-offset-3 touch-link hover:text-ink"
          >
            Open the item of the dataset
          </Link>
        </p>
      )}
      {shown && <Found shown={shown} lookOf={lookOf} nameOf={nameOf} />}
    </PeekPanel>
  )
}

interface TextsProps {
  applicationId: string
  traceDbId: string
  row: RunCaseRow
}

function Texts({ applicationId, traceDbId, row: { input: asked, expected } }: TextsProps) {
  const trace = useQuery(traceQuery({ applicationId, traceId: traceDbId }))
  if (trace.error) return <QueryError query={trace} />
  if (!trace.data) return <Skeleton rows={4} />
  const { input, output } = trace.data
  return (
    <>
      {/* A trace that names its item need not repeat the question. */}
      <TitledText title="Question" text={input ?? asked} />
      {expected !== null && <TitledText title="Expected" text={expected} />}
      <TitledText title="Answer" text={output} />
      <p className="mt-2 flex gap-4 text-meta text-soft">
        {trace.data.durationMs === null ? 'no end' : <Duration ms={trace.data.durationMs} />}
        <span>
          cost <Cost dollars={trace.data.totalCostUsd} />
        </span>
        {trace.data.status === 'error' && <span className="font-medium text-danger">failed</span>}
      </p>
    </>
  )
}

type FoundProps = Pick<CasePeekProps, 'lookOf' | 'nameOf'> & { shown: RunCase }

/** What evaluators and people say about the answer. */
function Found({ shown, lookOf, nameOf }: FoundProps) {
  return (
    <>
      {shown.scores.length > 0 && (
        <section className="mt-4">
          <h2 className="mb-1 text-meta font-medium text-faint">Scores</h2>
          <ul className="divide-y divide-line border-y border-line text-data">
            {shown.scores.map((score) => (
              <li key={score.evaluator} className="py-1.5">
                <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                  <bdi className="font-medium wrap-anywhere">{metricTitle(score.evaluator)}</bdi>
                  <ScoreValue score={score} />
                </p>
                {score.reason && <p className="mt-0.5 wrap-anywhere text-soft">{score.reason}</p>}
              </li>
            ))}
          </ul>
        </section>
      )}
      {shown.ratings.length > 0 && (
        <section className="mt-4">
          <h2 className="mb-1 text-meta font-medium text-faint">Ratings in this run</h2>
          <ul className="flex flex-col gap-1.5 text-data">
            {shown.ratings.map(({ userId, rating }) => (
              <li key={userId} className="flex flex-wrap items-center gap-2">
                <Avatar name={nameOf(userId)} />
                {nameOf(userId)}
                <RatingWord look={lookOf(rating)} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
