import type { TrialEstimate } from '../../api/generated/api.ts'
import { formatCost, formatCount, formatScore } from '../../ui/format-number.ts'
import type { TrialDraft } from './trial-draft.ts'

interface RepetitionTableProps {
  estimate: TrialEstimate
  draft: TrialDraft
  onChange: (changes: Partial<TrialDraft>) => void
}

/** How often each item is asked: what more repetitions would show, and what they cost. */
export function RepetitionTable({ estimate, draft, onChange }: RepetitionTableProps) {
  const chosen = estimate.byRepetitions.find(({ repetitions }) => repetitions === draft.repetitions)
  return (
    <>
      {chosen && (
        <p className="font-display text-section font-semibold text-ink">
          {chosen.detectableDifference === null
            ? 'too few items to see a difference'
            : `differences of ${formatScore(chosen.detectableDifference)} or more`}
        </p>
      )}
      <p className="mt-1">of a rate, in 80 of 100 such trials, if 18 of 100 pairs of answers differ.</p>
      <table className="mt-3 w-full text-data tabular-nums">
        <caption className="sr-only">Repetitions</caption>
        <thead>
          <tr className="text-meta text-faint">
            <th scope="col" className="text-left font-medium">
              Repetitions
            </th>
            <th scope="col" className="text-right font-medium">
              can show
            </th>
            <th scope="col" className="text-right font-medium">
              cost
            </th>
            {estimate.minutes !== null && (
              <th scope="col" className="text-right font-medium">
                time
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {estimate.byRepetitions.map(({ repetitions, calls, expectedUsd, detectableDifference }) => (
            <tr key={repetitions} className="has-checked:bg-gold-wash has-checked:text-ink">
              <th scope="row" className="p-0 text-left font-normal">
                <label className="flex min-h-8 cursor-pointer items-center gap-2 touch:min-h-11">
                  <input
                    type="radio"
                    name="repetitions"
                    checked={repetitions === draft.repetitions}
                    onChange={() => onChange({ repetitions })}
                    className="accent-action"
                  />
                  {repetitions}×
                </label>
              </th>
              <td className="text-right">{detectableDifference === null ? '–' : formatScore(detectableDifference)}</td>
              <td className="text-right">{formatCost(expectedUsd)}</td>
              {estimate.minutes !== null && (
                <td className="text-right">{minutesText((estimate.minutes * calls) / Math.max(1, estimate.calls))}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function minutesText(minutes: number): string {
  return minutes < 1 ? '< 1 min' : `${formatCount(Math.ceil(minutes))} min`
}
