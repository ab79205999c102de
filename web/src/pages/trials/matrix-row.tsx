import type { MatrixCall, MatrixItem } from '../../api/trial-matrix-query.ts'
import { formatCount } from '../../ui/format-number.ts'
import { callsOf, changeOn, lookOf, questionIn, type Scoring } from './matrix-model.ts'
import { VariantMark } from './variant-mark.tsx'

/** More repetitions are one button with the number of answers: twenty squares a variant would be no table. */
const SQUARES_MAX = 5

export interface ShownVariant {
  name: string
  /** Of its mark. */
  place: number
}

interface MatrixRowProps {
  item: MatrixItem
  variants: readonly ShownVariant[]
  baseline: string
  scoring: Scoring
  /** The number of the call that is open. */
  openCall: number | undefined
  /** The call that the tab key reaches. */
  tabCall: number | undefined
  onOpen: (call: MatrixCall) => void
}

/** One item: its question, and the calls of each variant with what is better or worse than the baseline. */
export function MatrixRow({ item, variants, baseline, scoring, openCall, tabCall, onOpen }: MatrixRowProps) {
  const isOpen = item.calls.some(({ callId }) => callId === openCall)
  return (
    <li
      aria-current={isOpen || undefined}
      className={`grid items-center gap-x-3 gap-y-2 border-b border-line px-4 py-1.5 text-data last:border-b-0 sm:grid-cols-[3rem_minmax(6rem,1fr)_auto] max-sm:grid-cols-[2.5rem_minmax(0,1fr)] max-sm:py-3 ${isOpen ? 'bg-selected shadow-[inset_3px_0_0_var(--color-gold)]' : ''}`}
    >
      <span className="text-right text-faint tabular-nums max-sm:text-left">{formatCount(item.number)}</span>
      <span
        className={`min-w-0 truncate max-sm:line-clamp-2 max-sm:whitespace-normal ${isOpen ? 'font-semibold' : ''}`}
      >
        {item.preview === null ? (
          <i className="text-faint">an item that was deleted</i>
        ) : (
          <bdi>{questionIn(item.preview)}</bdi>
        )}
      </span>
      <span className="flex gap-y-2 max-sm:col-span-full max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-3">
        {variants.map(({ name, place }) => (
          <fieldset
            key={name}
            className="flex w-(--matrix-column) min-w-0 items-center gap-1 max-sm:w-auto max-sm:flex-wrap"
          >
            <legend className="sr-only">{name}</legend>
            <span aria-hidden className="flex min-w-0 items-center text-meta text-soft sm:hidden">
              <VariantMark place={place} />
              <span className="truncate">{name}</span>
            </span>
            <Calls
              calls={callsOf(item, name)}
              scoring={scoring}
              openCall={openCall}
              tabCall={tabCall}
              onOpen={onOpen}
            />
            {name !== baseline && <Change change={changeOn(item, { variant: name, baseline }, scoring)} />}
          </fieldset>
        ))}
      </span>
    </li>
  )
}

interface CallsProps extends Pick<MatrixRowProps, 'scoring' | 'openCall' | 'tabCall' | 'onOpen'> {
  calls: readonly MatrixCall[]
}

function Calls({ calls, scoring, openCall, tabCall, onOpen }: CallsProps) {
  const [first] = calls
  if (!first) return <span className="text-faint">–</span>
  const shown = calls.length <= SQUARES_MAX ? calls : [calls.find(({ callId }) => callId === openCall) ?? first]
  return (
    <>
      {shown.map((call) => {
        const { mark, word, className } = lookOf(call, scoring)
        const isOpen = call.callId === openCall
        return (
          <button
            key={call.callId}
            type="button"
            data-call={call.callId}
            tabIndex={call.callId === tabCall ? 0 : -1}
            aria-pressed={isOpen}
            onClick={() => onOpen(call)}
            className={`flex h-6 min-w-6 items-center justify-center rounded-[4px] px-1 text-meta font-semibold tabular-nums touch:h-11 touch:min-w-11 ${className} ${isOpen ? 'ring-2 ring-gold-ink' : 'hover:ring-1 hover:ring-edge'}`}
          >
            <span aria-hidden>{mark}</span>
            <span className="sr-only">
              repetition {call.repetition}: {word}
            </span>
          </button>
        )
      })}
      {calls.length > SQUARES_MAX && <span className="text-meta text-soft tabular-nums">{summaryOf(calls)}</span>}
    </>
  )
}

function summaryOf(calls: readonly MatrixCall[]): string {
  const done = calls.filter(({ state }) => state === 'done').length
  return `${formatCount(done)}/${formatCount(calls.length)}`
}

function Change({ change }: { change: ReturnType<typeof changeOn> }) {
  if (change !== 'better' && change !== 'worse') return null
  return (
    <span className={`text-[10px] ${change === 'better' ? 'text-good' : 'text-danger'}`}>
      <span aria-hidden>{change === 'better' ? '▲' : '▼'}</span>
      <span className="sr-only">{change} than the baseline</span>
    </span>
  )
}
