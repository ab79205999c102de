import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Save } from 'lucide-react'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import {
  type Against,
  type ExperimentKey,
  iterationDiffQuery,
  iterationQuery,
  useSaveIteration,
} from '../../api/experiments-query.ts'
import type { ExperimentDetail, ExperimentIterationDetail } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { countOf, formatCount, formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { titleOf } from '../prompts/message-card.tsx'
import { DiffView } from '../prompts/saved-diff.tsx'
import { TemplateText } from '../prompts/template-text.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { FateIcon } from './chart-marks.tsx'
import type { CoursePoint } from './experiment-words.ts'
import { fateText, groupOf } from './fates.ts'

interface ProposalDetailProps {
  experimentKey: ExperimentKey
  experiment: ExperimentDetail
  point: CoursePoint
  against: Against
  isAhead: boolean
  onAgainst: (against: Against) => void
}

/** One proposal: what was found, what it changes in the text, and the validation items that changed, the losses first. */
export function ProposalDetail({ experimentKey, experiment, point, against, isAhead, onAgainst }: ProposalDetailProps) {
  const { number, parent } = point
  const detail = useQuery(iterationQuery(experimentKey, number, against))
  const hasOwnPrompt = number > 0 && point.tokens !== null
  return (
    <div className="min-w-0 p-5 max-sm:p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="flex items-center gap-2 font-display text-section font-semibold">
          <FateIcon group={groupOf(point)} />
          {number === 0 ? 'The start' : `Proposal ${number}`}
        </h3>
        {number > 0 && (
          <Badge tone={point.state === 'finalist' || isAhead ? 'gold' : 'neutral'}>
            {isAhead && point.state !== 'finalist' ? 'ahead' : fateText(point)}
          </Badge>
        )}
        <span className="ml-auto">
          <VersionAction
            experimentKey={experimentKey}
            experiment={experiment}
            point={point}
            hasOwnPrompt={hasOwnPrompt}
          />
        </span>
      </div>
      {detail.error && <QueryError query={detail} />}
      {!detail.data && !detail.error && <Skeleton rows={6} />}
      {detail.data && (
        <>
          {detail.data.diagnosis && (
            <p className="mt-3 border-l-2 border-line pl-3 text-data text-soft wrap-anywhere">
              <b className="font-semibold text-ink">Diagnosis of the items it saw:</b> {detail.data.diagnosis}
            </p>
          )}
          {point.fate !== null && detail.data.reason && (
            <p className="mt-3 text-data text-soft wrap-anywhere">
              <b className="font-semibold text-ink">Why it ended:</b> {detail.data.reason}.
            </p>
          )}
          {hasOwnPrompt ? (
            <>
              <div className="mt-4 mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
                <Segmented
                  label="Compared with"
                  value={against}
                  options={[
                    { value: 'start', label: 'against the start' },
                    { value: 'parent', label: `against parent${parent ? ` ${parent}` : ''}` },
                  ]}
                  onChange={onAgainst}
                />
                <span className="text-meta text-soft tabular-nums">{tokensText(detail.data)}</span>
              </div>
              <Diff experimentKey={experimentKey} number={number} against={against} />
              <Scores detail={detail.data} />
              <Changes detail={detail.data} />
            </>
          ) : (
            <div className="mt-4 flex flex-col gap-3">
              {(detail.data.messages ?? []).map((message, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity but their place
                <div key={place} className="rounded-card border border-line px-4 py-3">
                  <h4 className="text-meta text-soft">
                    {'placeholder' in message ? `Placeholder ${message.placeholder}` : titleOf(message.role)}
                  </h4>
                  {'content' in message && (
                    <p className="mt-1 text-reading wrap-anywhere whitespace-pre-wrap">
                      <TemplateText text={message.content} />
                    </p>
                  )}
                </div>
              ))}
              {detail.data.messages === null && (
                <p className="text-data text-soft">
                  {point.step === 'ended' ? 'There is no prompt to show.' : 'Its prompt is not written yet.'}
                </p>
              )}
            </div>
          )}
        </>
      )}
    </div>
  )
}

function tokensText({ tokens: { before, after } }: ExperimentIterationDetail): string {
  if (before === null || after === null) return ''
  return `about ${formatCount(before)} → ${countOf(after, 'token')}`
}

interface VersionActionProps {
  experimentKey: ExperimentKey
  experiment: ExperimentDetail
  point: CoursePoint
  hasOwnPrompt: boolean
}

/** A proposal that was not tested can become a version, too; a label with a gate will ask for a verdict. */
function VersionAction({ experimentKey, experiment, point: { number, version }, hasOwnPrompt }: VersionActionProps) {
  const save = useSaveIteration(experimentKey)
  const missing = missingRole(useMe(), 'editor', 'Saving a version')
  const { applicationId, componentId } = experimentKey
  if (version !== null)
    return (
      <Link
        to={pagePaths.prompt(applicationId, componentId, experiment.promptId)}
        search={{ version }}
        className={buttonClass('secondary', 'small')}
      >
        Open v{version}
      </Link>
    )
  if (!hasOwnPrompt) return null
  return (
    <Button
      size="small"
      isBusy={save.isPending}
      disabledReason={missing}
      onClick={() =>
        save.mutate(number, {
          onSuccess: (saved) =>
            showToast({ tone: 'good', message: `Proposal ${number} is saved as v${saved.version}.` }),
          onError: (problem) => showToast({ tone: 'danger', message: describeError(problem).message }),
        })
      }
    >
      <Save aria-hidden className="size-3.5" />
      Save as a version
    </Button>
  )
}

interface DiffProps {
  experimentKey: ExperimentKey
  number: number
  against: Against
}

function Diff({ experimentKey, number, against }: DiffProps) {
  const query = useQuery(iterationDiffQuery(experimentKey, number, against))
  if (!query.data) return query.error ? <QueryError query={query} /> : <Skeleton rows={4} />
  return <DiffView diff={{ ...query.data, parameters: [] }} />
}

/** Of each evaluator, what got worse first. */
function Scores({ detail: { scores } }: { detail: ExperimentIterationDetail }) {
  const known = scores.flatMap(({ before, after, ...one }) =>
    before === null || after === null ? [] : [{ ...one, before, after }],
  )
  if (known.length === 0) return null
  return (
    <dl className="mt-5 flex flex-col gap-1.5 text-data">
      {known
        .toSorted((a, b) => a.after - a.before - (b.after - b.before))
        .map(({ metric, items, before, after }) => (
          <div key={metric} data-estimate="" className="flex flex-wrap justify-between gap-x-4">
            <dt className="text-soft">
              <bdi>{metricTitle(metric)}</bdi> on validation, n {formatCount(items)}
            </dt>
            <dd className="tabular-nums">
              <span data-mean="">{formatScore(before)}</span> → <b data-mean="">{formatScore(after)}</b>
            </dd>
          </div>
        ))}
    </dl>
  )
}

/** The losses are first. */
const CHANGES_SHOWN = 5

function Changes({ detail: { changes } }: { detail: ExperimentIterationDetail }) {
  const { better, worse, same, data } = changes
  const [isWhole, setIsWhole] = useState(false)
  if (better + worse + same === 0) return null
  const shown = isWhole ? data : data.slice(0, CHANGES_SHOWN)
  return (
    <section aria-label="Validation items that changed" className="mt-5">
      <h4 className="flex flex-wrap justify-between gap-x-4 text-data font-semibold">
        Validation items that changed
        <span className="font-normal text-soft tabular-nums">
          <span className="text-good">▲ {formatCount(better)} better</span> ·{' '}
          <span className="text-danger">▼ {formatCount(worse)} worse</span> · {formatCount(same)} the same
        </span>
      </h4>
      {data.length > 0 && (
        <ul className="mt-1 divide-y divide-line/60 text-data">
          {shown.map(({ itemId, question, before, after }) => (
            <li key={itemId} className="flex min-h-8 items-center justify-between gap-4">
              <bdi className="min-w-0 truncate">{question ?? 'a deleted item'}</bdi>
              <span className={`shrink-0 font-medium tabular-nums ${after > before ? 'text-good' : 'text-danger'}`}>
                <span aria-hidden>{after > before ? '▲' : '▼'}</span> {changeText(before, after)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {data.length > CHANGES_SHOWN && (
        <Button look="quiet" size="small" className="mt-1" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? `Show ${CHANGES_SHOWN}` : `Show all ${formatCount(data.length)}`}
        </Button>
      )}
    </section>
  )
}

function changeText(before: number, after: number): string {
  const word = (value: number) => (value === 1 ? 'pass' : value === 0 ? 'fail' : formatScore(value))
  return `${word(before)} → ${word(after)}`
}
