import { Link } from '@tanstack/react-router'
import { Activity, Check, RotateCw, Square, TriangleAlert, X } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { loadPart } from '../../api/server-connection.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Duration } from '../../ui/quantities.tsx'
import { Tip } from '../../ui/tip.tsx'
import { costText, sumOf, tokensText } from './answer-sums.ts'
import { AnswerText } from './answer-text.tsx'
import { Countdown, ElapsedTime } from './elapsed-time.tsx'
import { type Cell, isBusy, isFailed, type Tries } from './tries.ts'
import type { Variant } from './use-columns.ts'
import type { PlaygroundRow } from './use-rows.ts'
import { variantLook } from './variant-mark.tsx'

/** Loaded with the first answer that calls a tool. */
const ToolCallBox = lazy(async () => ({ default: (await loadToolCalls()).ToolCallBox }))
const ToolAnswersForm = lazy(async () => ({ default: (await loadToolCalls()).ToolAnswersForm }))
const loadToolCalls = () => loadPart(() => import('./tool-call.tsx'))

interface AnswerCellProps {
  applicationId: string
  variant: Variant
  row: PlaygroundRow
  place: number
  id: string
  cell: Cell | undefined
  /** What would be sent now; undefined if nothing can be. */
  fingerprint: string | undefined
  /** With which the answer is compared; undefined without a comparison. */
  compared: string | undefined
  whyNotRun: string | undefined
  /** Whether `r` retries this cell. */
  isNext: boolean
  tries: Tries
  onRun: () => void
  onActive: () => void
  onOpenSchema: () => void
}

/** The answer of one column to one row, with its check, tokens, cost, time and trace; or why there is none yet. */
export function AnswerCell(props: AnswerCellProps) {
  const { variant, place, id, cell, fingerprint, compared, tries, onActive, onOpenSchema } = props
  const isWriting = cell?.state === 'writing'
  const isStale = cell !== undefined && fingerprint !== undefined && cell.fingerprint !== fingerprint && !isBusy(cell)
  const hasFormat = variant.content !== undefined && variant.content.responseFormat !== null
  return (
    <td
      data-cell={id}
      aria-busy={isBusy(cell) || undefined}
      onFocus={onActive}
      onPointerDown={onActive}
      className={`group flex min-w-0 flex-col border-b border-line px-3.5 pt-3 pb-2.5 sm:border-l max-sm:mb-2.5 max-sm:rounded-card max-sm:border max-sm:border-l-3 max-sm:shadow-lift ${isWriting ? 'bg-gold-wash/60 max-sm:bg-gold-wash' : 'max-sm:bg-surface'} ${variantLook(place).left}`}
    >
      <p className="mb-1.5 text-meta font-semibold sm:sr-only">
        {variant.name}
        {variant.target.model !== undefined && ` · ${variant.target.model}`}
      </p>
      {!cell && <p className="text-data text-faint">Not run yet.</p>}
      {cell && (
        <>
          {(cell.state === 'queued' || cell.state === 'waiting') && cell.steps.length === 0 && <Waiting cell={cell} />}
          <div className="flex min-w-0 flex-col gap-2.5">
            {cell.steps.map((step, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended
              <div key={index} className="flex min-w-0 flex-col gap-2.5">
                {step.text !== '' && (
                  <AnswerText
                    text={step.text}
                    form={hasFormat ? 'json' : 'text'}
                    compared={index === cell.steps.length - 1 ? compared : undefined}
                    place={place}
                    isWriting={isWriting && index === cell.steps.length - 1}
                  />
                )}
                <Suspense>
                  {step.toolCalls.map((call) => (
                    <ToolCallBox key={call.toolCall.id} call={call} />
                  ))}
                </Suspense>
              </div>
            ))}
          </div>
          {cell.end?.reason === 'answered' && cell.steps.length === 0 && (
            <p className="text-data text-faint">The answer is empty.</p>
          )}
          {cell.end?.conversation && cell.state === 'ended' && (
            <Suspense>
              <ToolAnswersForm
                key={cell.end.conversation.length}
                calls={cell.end.toolCalls}
                whyNot={props.whyNotRun}
                onAnswer={(answers) => tries.answerTools(id, answers)}
              />
            </Suspense>
          )}
          <Failure cell={cell} onOpenSchema={onOpenSchema} />
          {isStale && <p className="mt-2 text-meta text-warn">Something was changed after this answer.</p>}
          <Footer {...props} cell={cell} />
        </>
      )}
    </td>
  )
}

/** A skeleton is the promise of a text; why it waits is said below it. */
function Waiting({ cell }: { cell: Cell }) {
  return (
    <>
      <div aria-hidden className="flex animate-pulse flex-col gap-2 py-1">
        {['w-11/12', 'w-10/12', 'w-7/12'].map((width) => (
          <span key={width} className={`h-2.5 rounded-full bg-hover ${width}`} />
        ))}
      </div>
      <p className="mt-1 text-meta text-faint">
        {cell.state === 'queued' ? 'waits for its turn' : (cell.waitsFor ?? 'sent, no answer yet')}
      </p>
    </>
  )
}

/** In the words of the server and the provider. */
function Failure({ cell, onOpenSchema }: { cell: Cell; onOpenSchema: () => void }) {
  const { end, error, state } = cell
  if (isBusy(cell)) return null
  const message = end?.error ?? (error instanceof ApiError ? error.message : error ? 'The call failed.' : undefined)
  const misses = end?.schema?.valid === false ? end.schema.misses : []
  return (
    <>
      {state === 'stopped' && (
        <p className="mt-2 text-data text-soft">Stopped. What was sent may be charged at its maximum.</p>
      )}
      {message !== undefined && (
        <p className={`mt-2 text-data wrap-anywhere ${end?.reason === 'cutOff' ? 'text-warn' : 'text-danger'}`}>
          {message}
        </p>
      )}
      {misses.length > 0 && (
        <div className="mt-2 text-data text-danger">
          <ul>
            {misses.slice(0, 5).map(({ path, message: miss }) => (
              <li key={`${path} ${miss}`} className="wrap-anywhere">
                {path !== '' && <code className="font-mono text-code">{path}</code>} {miss}
              </li>
            ))}
            {misses.length > 5 && <li>and {misses.length - 5} more</li>}
          </ul>
          <button type="button" onClick={onOpenSchema} className="touch-link underline underline-offset-4">
            Open the schema
          </button>
        </div>
      )}
      {cell.retryAt !== undefined && (
        <p className="mt-1 text-data text-danger">
          <Countdown untilMs={cell.retryAt} />
        </p>
      )}
    </>
  )
}

function Footer(props: AnswerCellProps & { cell: Cell }) {
  const { applicationId, variant, row, id, cell, fingerprint, tries, whyNotRun, isNext, onRun } = props
  const name = `${variant.name}, ${row.name.toLowerCase()}`
  const traceId = cell.end?.traceId
  if (isBusy(cell)) {
    return (
      <div className="mt-auto flex flex-wrap items-center gap-x-2.5 gap-y-1 pt-2.5 text-meta">
        {cell.state === 'writing' && (
          <span className="inline-flex items-center gap-1.5 font-semibold text-gold-ink">
            <span aria-hidden className="size-1.5 rounded-full bg-gold" />
            writing
          </span>
        )}
        {cell.startedAt !== undefined && <ElapsedTime sinceMs={cell.startedAt} />}
        <Button size="small" className="ml-auto" aria-label={`Stop ${name}`} onClick={() => tries.stop(id)}>
          <Square aria-hidden className="size-3" />
          Stop
        </Button>
      </div>
    )
  }
  const sum = sumOf(cell)
  // What a provider rejects costs nothing, and has no tokens that are worth a word.
  const isUnpaid = cell.end?.reason === 'failed' && sum?.tokens === null && sum.costUsd === 0
  // What was changed since is sent, not what failed.
  const retry = cell.fingerprint === fingerprint ? () => tries.retry(id) : onRun
  return (
    <div className="mt-auto pt-2.5">
      <div className="flex items-end justify-between gap-2">
        <div className="min-w-0">
          <Outcome cell={cell} />
          <p className="flex flex-wrap gap-x-2.5 text-meta text-faint tabular-nums">
            {sum && !isUnpaid && (
              <>
                <span>{tokensText(sum.tokens)}</span>
                <span className={sum.costUsd === null ? 'italic' : ''}>
                  {sum.costUsd === null ? 'cost unknown' : costText(sum)}
                </span>
              </>
            )}
            {sum && <Duration ms={sum.durationMs} />}
            {cell.attempts > 1 && <span>{countOf(cell.attempts, 'attempt')}</span>}
          </p>
        </div>
        <span className="flex shrink-0 items-center">
          {isFailed(cell) ? (
            <Button size="small" aria-label={`Retry ${name}`} disabledReason={whyNotRun} onClick={retry}>
              <RotateCw aria-hidden className="size-3" />
              Retry
              {isNext && <ShortcutKeys id="retryTry" />}
            </Button>
          ) : (
            <IconButton label={`Run ${name} again`} size="small-icon" disabledReason={whyNotRun} onClick={onRun}>
              <RotateCw aria-hidden className="size-3.5" />
            </IconButton>
          )}
          {traceId && (
            <Tip text="Open the trace">
              <Link
                to={pagePaths.trace(applicationId, traceId)}
                aria-label={`Trace of ${name}`}
                className={buttonClass('quiet', 'small-icon')}
              >
                <Activity aria-hidden className="size-3.5" />
              </Link>
            </Tip>
          )}
        </span>
      </div>
      {cell.end && cell.end.notices.length > 0 && (
        <details className="text-meta text-faint">
          <summary>{countOf(cell.end.notices.length, 'note')}</summary>
          <ul className="mt-1 list-disc pl-4">
            {cell.end.notices.map((notice) => (
              <li key={notice} className="wrap-anywhere">
                {notice}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** What became of the cell, in a word and a sign. */
function Outcome({ cell: { end, state, error } }: { cell: Cell }) {
  const [Icon, text, tone] = outcomeOf(end, state, error)
  if (!text) return null
  return (
    <p className={`flex items-center gap-1 text-meta font-semibold ${tone}`}>
      <Icon aria-hidden className="size-3.5" />
      {text}
    </p>
  )
}

function outcomeOf(end: Cell['end'], state: Cell['state'], error: unknown) {
  if (state === 'stopped') return [Square, 'stopped', 'text-soft'] as const
  if (error && !end) return [TriangleAlert, 'not answered', 'text-danger'] as const
  switch (end?.reason) {
    case 'failed':
      return [TriangleAlert, 'not answered', 'text-danger'] as const
    case 'refused':
      return [TriangleAlert, 'refused', 'text-danger'] as const
    case 'cutOff':
      return [TriangleAlert, 'cut off at the token limit', 'text-warn'] as const
    default:
      break
  }
  if (end?.conversation) return [TriangleAlert, 'waits for the answer of a tool', 'text-gold-ink'] as const
  if (!end?.schema) return [Check, '', ''] as const
  if (end.schema.valid) return [Check, 'fits the schema', 'text-good'] as const
  return [X, 'misses the schema', 'text-danger'] as const
}
