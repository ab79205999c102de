import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { TrialDetail } from '../../api/generated/api.ts'
import { itemDetailQuery } from '../../api/item-rows-query.ts'
import { traceLinksQuery, traceQuery } from '../../api/traces-query.ts'
import { type MatrixCall, type MatrixItem, trialCallQuery } from '../../api/trial-matrix-query.ts'
import type { TrialKey } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import type { ShortcutId } from '../../shortcuts/shortcut-list.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { formatCost, formatCount, formatDuration, formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { callsOf, questionIn } from './matrix-model.ts'
import { playgroundOf } from './playground-link.ts'
import { markPlaces } from './trial-words.ts'
import { VariantMark } from './variant-mark.tsx'

interface CallDetailProps {
  trialKey: TrialKey
  trial: TrialDetail
  item: MatrixItem | undefined
  call: MatrixCall | undefined
  onOpen: (call: MatrixCall) => void
}

/** One call: what was asked and expected, the answer with its scores, what it cost, and the answer of the baseline. */
export function CallDetail({ trialKey, trial, item, call, onOpen }: CallDetailProps) {
  if (!item || !call)
    return (
      <Panel>
        <p className="text-data text-soft">Choose a call to see its answer, its scores and its trace.</p>
      </Panel>
    )
  const { baseline } = trial.plan
  const [before] = callsOf(item, baseline)
  return (
    <Panel>
      <ItemHead trialKey={trialKey} trial={trial} item={item} />
      <Answer key={call.callId} trialKey={trialKey} trial={trial} item={item} call={call} onOpen={onOpen} />
      {call.variant !== baseline && before && (
        <Answer
          key={`baseline ${before.callId}`}
          trialKey={trialKey}
          trial={trial}
          item={item}
          call={callsOf(item, baseline).find(({ repetition }) => repetition === call.repetition) ?? before}
          isShort
          onOpen={onOpen}
        />
      )}
    </Panel>
  )
}

function Panel({ children }: { children: ReactNode }) {
  return (
    <section
      aria-label="One call"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      className="relative min-h-80 min-w-0 overflow-y-auto border-line bg-raised p-5 focus-visible:-outline-offset-2 max-rail:border-t max-sm:p-4 rail:max-h-[42rem] rail:border-l"
    >
      {children}
    </section>
  )
}

function ItemHead({ trialKey, trial, item }: { trialKey: TrialKey; trial: TrialDetail; item: MatrixItem }) {
  const key = { ...trialKey, datasetId: trial.datasetId }
  const { data } = useQuery({ ...itemDetailQuery(key, item.itemId), enabled: item.preview !== null })
  const { expected, split } = data?.item ?? {}
  return (
    <>
      <p className="text-meta text-soft">
        Item {formatCount(item.number)}
        {split && ` · ${split}`}
      </p>
      <h3 className="mt-1 max-h-32 overflow-y-auto font-display text-body font-semibold wrap-anywhere whitespace-pre-wrap">
        <bdi>{item.preview === null ? 'An item that was deleted' : questionIn(item.preview)}</bdi>
      </h3>
      {expected != null && (
        <div className="mt-2 border-l-2 border-edge/50 pl-3 text-data">
          <p className="text-meta text-soft">Expected</p>
          <p className="max-h-32 overflow-y-auto wrap-anywhere whitespace-pre-wrap text-soft">{expected}</p>
        </div>
      )}
    </>
  )
}

interface AnswerProps extends CallDetailProps {
  item: MatrixItem
  call: MatrixCall
  /** Of the baseline, next to the one that was opened. */
  isShort?: true
}

function Answer({ trialKey, trial, item, call, isShort, onOpen }: AnswerProps) {
  const { applicationId } = trialKey
  const place = markPlaces(trial).get(call.variant) ?? -1
  const repetitions = callsOf(item, call.variant)
  const hasTrace = call.state === 'done' && call.traceId !== null
  const trace = { applicationId, traceId: call.traceId ?? '' }
  const answer = useQuery({ ...traceQuery(trace), enabled: hasTrace })
  const links = useQuery({ ...traceLinksQuery(trace), enabled: hasTrace })
  const variant = trial.variants.find(({ name }) => name === call.variant)
  const { evaluationId, runId } = variant ?? {}
  const tried = variant && item.preview !== null ? playgroundOf(trialKey, trial, { variant, item }) : undefined
  const scores = (links.data?.scores ?? []).filter((score) => score.evaluationId === evaluationId)
  const stored = useQuery({ ...trialCallQuery(trialKey, call.callId), enabled: !isShort || call.state === 'failed' })
  const navigate = useNavigate()
  const tracePath =
    call.traceId !== null && call.state === 'done' ? pagePaths.trace(applicationId, call.traceId) : undefined
  useShortcut('openCallTrace', tracePath && !isShort ? () => void navigate({ to: tracePath }) : undefined)
  return (
    <div className="mt-5">
      <div
        className={`mb-2 flex flex-wrap items-center justify-between gap-2 border-b-2 pb-1.5 ${lineClass[place] ?? 'border-mark'}`}
      >
        <h4 className="min-w-0 text-data font-semibold wrap-anywhere">
          <VariantMark place={place} />
          <bdi>{call.variant}</bdi>
        </h4>
        {repetitions.length > 1 && (
          <span className="flex gap-1">
            {repetitions.map((one) => (
              <Repetition
                key={one.callId}
                number={one.repetition}
                isOpen={one.callId === call.callId}
                hasKey={!isShort}
                onOpen={() => onOpen(one)}
              />
            ))}
          </span>
        )}
      </div>
      {call.state === 'failed' && (
        <Failure reason={stored.data?.reason ?? undefined} isRetryable={stored.data?.retryable} />
      )}
      {call.state !== 'done' && call.state !== 'failed' && (
        <p className="text-data text-soft">{stateWords[call.state]}</p>
      )}
      {hasTrace && answer.error && <QueryError query={answer} />}
      {hasTrace && answer.isPending && <Skeleton rows={3} />}
      {answer.data && (
        <p
          className={`overflow-y-auto text-body wrap-anywhere whitespace-pre-wrap ${isShort ? 'max-h-40 text-soft' : 'max-h-80'}`}
        >
          {answer.data.output || <i className="text-faint">an empty answer</i>}
        </p>
      )}
      {scores.length > 0 && (
        <ul aria-label={`Scores of ${call.variant}`} className="mt-3 flex flex-col gap-1.5 text-data">
          {scores.map(({ evaluator, repetition, score, label, passed, reason }) => (
            <li key={`${evaluator} ${repetition}`} className="wrap-anywhere">
              {passed !== null && <span className={passed ? 'text-good' : 'text-danger'}>{passed ? '✓ ' : '✗ '}</span>}
              <b className="font-semibold">
                <bdi>{metricTitle(evaluator)}</bdi>
              </b>{' '}
              <span className="tabular-nums">{score === null ? label : formatMetric(score)}</span>
              {reason && <span className="text-soft"> {reason}</span>}
            </li>
          ))}
        </ul>
      )}
      {!isShort && (
        <>
          {stored.data && answer.data && (
            <dl className="mt-3 grid grid-cols-[auto_1fr_auto_1fr] gap-x-3 gap-y-1 text-meta">
              <Fact
                name="Tokens"
                value={answer.data.totalTokens === null ? 'unknown' : formatCount(answer.data.totalTokens)}
              />
              <Fact name="Cost" value={formatCost(answer.data.totalCostUsd)} />
              <Fact
                name="Time"
                value={stored.data.durationMs === null ? 'unknown' : formatDuration(stored.data.durationMs)}
              />
              <Fact name="Attempts" value={formatCount(stored.data.attempt)} />
            </dl>
          )}
          {tracePath && (
            <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-data">
              <Link to={tracePath} className={linkClass}>
                Open the trace
              </Link>
              <ShortcutKeys id="openCallTrace" />
              {answer.data && runId && (
                <Link
                  to={pagePaths.annotate(applicationId, trialKey.componentId, runId)}
                  search={{ item: answer.data.id }}
                  className={linkClass}
                >
                  Rate it
                </Link>
              )}
              {tried && (
                <Link to={tried.path} search={tried.search} className={linkClass}>
                  Try in the playground
                </Link>
              )}
            </p>
          )}
        </>
      )}
    </div>
  )
}

interface RepetitionProps {
  number: number
  isOpen: boolean
  hasKey: boolean
  onOpen: () => void
}

function Repetition({ number, isOpen, hasKey, onOpen }: RepetitionProps) {
  const shortcut = hasKey ? shortcuts[number] : undefined
  useShortcut(shortcut ?? 'repetition1', shortcut ? onOpen : undefined)
  return (
    <button
      type="button"
      aria-pressed={isOpen}
      onClick={onOpen}
      className={`min-h-6 min-w-6 rounded-[4px] border px-1 text-meta tabular-nums touch:min-h-11 touch:min-w-11 ${isOpen ? 'border-edge bg-sunken font-semibold' : 'border-transparent hover:bg-hover'}`}
    >
      <span className="sr-only">Repetition </span>
      {number}
    </button>
  )
}

/** A tenth repetition has no key. */
const shortcuts: Record<number, ShortcutId | undefined> = {
  1: 'repetition1',
  2: 'repetition2',
  3: 'repetition3',
  4: 'repetition4',
  5: 'repetition5',
  6: 'repetition6',
  7: 'repetition7',
  8: 'repetition8',
  9: 'repetition9',
}

const linkClass = 'touch-link rounded-sm underline decoration-edge underline-offset-3 hover:decoration-ink'

const lineClass = ['border-series-1', 'border-series-2', 'border-series-3', 'border-series-4']

const stateWords: Record<'queued' | 'running' | 'retrying' | 'skipped', string> = {
  queued: 'This call waits for its turn.',
  running: 'This call is running.',
  retrying: 'This call failed and will be tried again.',
  skipped: 'This call was skipped.',
}

function Failure({ reason, isRetryable }: { reason: string | undefined; isRetryable: boolean | undefined }) {
  return (
    <p className="text-data wrap-anywhere">
      <b className="font-semibold text-danger">No answer.</b> {reason && settingsInWords(reason)}{' '}
      {isRetryable !== undefined && (
        <span className="text-soft">{isRetryable ? 'A retry sends it again.' : 'A retry would fail again.'}</span>
      )}
    </p>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="tabular-nums">{value}</dd>
    </>
  )
}
