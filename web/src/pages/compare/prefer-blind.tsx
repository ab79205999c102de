import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import {
  type ComparedPair,
  comparisonRowQuery,
  ownPreferencesQuery,
  useSavePreference,
} from '../../api/comparison-query.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import type { ShortcutId } from '../../shortcuts/shortcut-list.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { useMe } from '../shell/use-application.ts'
import { drawOrder } from './draw-order.ts'
import { type Row, titleOf } from './row-model.ts'
import { useWholeTexts } from './use-whole-texts.ts'

interface PreferBlindProps {
  pair: ComparedPair
  /** The number of rows of the comparison. */
  total: number
  onLeave: () => void
}

type Side = 'baseline' | 'candidate'

/** Two answers as A and B, on the sides that the server draws and without names, scores or ratings. */
export function PreferBlind({ pair, total, onLeave }: PreferBlindProps) {
  const { userId } = useMe()
  const own = useQuery(ownPreferencesQuery(pair))
  const save = useSavePreference(pair)
  const queryClient = useQueryClient()
  const [step, setStep] = useState(0)
  const [given, setGiven] = useState<readonly string[]>([])
  const runs = [pair.baseline, pair.candidate].sort().join(' ')
  const order = useMemo(() => drawOrder(total, `${userId} ${runs}`), [total, userId, runs])
  const position = order[step]
  const query = useQuery({
    ...comparisonRowQuery(pair, position ?? 0),
    enabled: position !== undefined && own.isSuccess,
  })
  const row = query.data?.data[0]
  const texts = useWholeTexts(pair, row)
  const isJudged = (one: Row) =>
    own.data?.some(({ itemId, repetition }) => itemId === one.itemId && repetition === (one.texts?.repetition ?? 1))
  const canJudge = (one: Row) => one.itemId !== null && one.texts?.baseline && one.texts.candidate && !isJudged(one)
  const isSkipped = row !== undefined && !canJudge(row)
  // By step, because several rows in a row may be skipped.
  useEffect(() => {
    if (isSkipped) setStep(step + 1)
  }, [isSkipped, step])
  const next = order[step + 1]
  useEffect(() => {
    if (next !== undefined) void queryClient.prefetchQuery(comparisonRowQuery(pair, next))
  }, [next, pair, queryClient])
  const left: Side = row?.texts?.shownLeft ?? 'baseline'
  const right: Side = left === 'baseline' ? 'candidate' : 'baseline'
  const prefer = (better: Side | 'same') => {
    if (!row?.itemId || isSkipped) return
    const repetition = row.texts?.repetition ?? 1
    save.mutate({ itemId: row.itemId, repetition, better, shownLeft: left })
    setGiven([...given, `${row.itemId} ${repetition}`])
    setStep(step + 1)
  }
  const isReady = row !== undefined && !isSkipped && position !== undefined
  useShortcut('preferFirst', isReady ? () => prefer(left) : undefined)
  useShortcut('preferSecond', isReady ? () => prefer(right) : undefined)
  useShortcut('preferNeither', isReady ? () => prefer('same') : undefined)
  // The list is read again after a preference was saved, and then has it, too.
  const saved = own.data?.map(({ itemId, repetition }) => `${itemId} ${repetition}`) ?? []
  const known = new Set([...saved, ...given]).size
  return (
    <section aria-labelledby="blind" className="mt-6">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-2">
        <h2 id="blind" className="font-display text-section font-semibold">
          Which answer is better?
        </h2>
        <span role="status" className="text-data text-soft tabular-nums">
          {formatCount(known)} of {countOf(total, 'item')} judged by you, drawn at random
        </span>
        <Button size="small" className="ml-auto" onClick={onLeave}>
          Show the result
        </Button>
      </div>
      {save.error && (
        <QueryError query={{ error: save.error, isFetching: save.isPending, refetch: async () => save.reset() }} />
      )}
      {own.error && <QueryError query={own} />}
      {query.error && <QueryError query={query} />}
      {position === undefined && own.isSuccess && (
        <EmptyState
          icon={CircleCheck}
          title="You have judged all of them"
          text="There is no pair of answers left that you have not compared."
          action={
            <Button look="primary" onClick={onLeave}>
              Show the result
            </Button>
          }
        />
      )}
      {!isReady && position !== undefined && !query.error && !own.error && <Skeleton rows={6} />}
      {isReady && texts && (
        <div className="rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4">
          <p className="text-meta text-soft">Question</p>
          <h3 className="mt-1 max-h-40 max-w-[60ch] overflow-y-auto font-display text-section font-semibold wrap-anywhere whitespace-pre-wrap">
            {titleOf({ ...row, texts })}
          </h3>
          <div className="mt-5 grid grid-cols-1 gap-6 md:grid-cols-2">
            {[left, right].map((side, index) => (
              <section key={side} aria-label={`Answer ${index === 0 ? 'A' : 'B'}`} className="min-w-0">
                <p aria-hidden className="mb-3 border-b-2 border-edge pb-2 text-data font-semibold">
                  {index === 0 ? 'A' : 'B'}
                </p>
                <p className="max-w-[72ch] wrap-anywhere whitespace-pre-wrap">
                  {texts[side]?.text}
                  {texts[side]?.isCut && '…'}
                </p>
              </section>
            ))}
          </div>
          <div className="mt-6 flex flex-wrap gap-3 border-t border-line pt-4">
            <Choice id="preferFirst" word="A is better" onClick={() => prefer(left)} />
            <Choice id="preferNeither" word="Both are the same" onClick={() => prefer('same')} />
            <Choice id="preferSecond" word="B is better" onClick={() => prefer(right)} />
          </div>
        </div>
      )}
    </section>
  )
}

function Choice({ id, word, onClick }: { id: ShortcutId; word: string; onClick: () => void }) {
  return (
    <Button onClick={onClick} className="max-sm:grow">
      {word} <ShortcutKeys id={id} />
    </Button>
  )
}
