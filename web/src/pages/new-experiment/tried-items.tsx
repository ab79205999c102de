import type { ExperimentPreview } from '../../api/generated/api.ts'
import { countOf, formatCost, formatScore } from '../../ui/format-number.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { DiffView } from '../prompts/saved-diff.tsx'

/** What the proposal changes, and the score of each item before and after. */
export function TriedItems({ result, isOfEarlier }: { result: ExperimentPreview; isOfEarlier: boolean }) {
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
