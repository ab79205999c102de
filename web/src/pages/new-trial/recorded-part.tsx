import type { TrialEstimate } from '../../api/generated/api.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import type { TrialDraft } from './trial-draft.ts'
import { errorIn, type TrialFieldError } from './trial-error.ts'
import { RECORDED } from './variant-list.ts'

/** As the estimate names what an item lacks that was not created from a trace. */
export const RECORDED_TRACE = 'a recorded trace'

interface RecordedPartProps {
  draft: TrialDraft
  estimate: TrialEstimate | undefined
  problem: TrialFieldError | undefined
  onChange: (changes: Partial<TrialDraft>) => void
}

/** One click: the answers of production are the baseline. */
export function RecordedPart({ draft: { isRecorded, removed }, estimate, problem, onChange }: RecordedPartProps) {
  const missing = isRecorded && estimate?.missing.find(({ variable }) => variable === RECORDED_TRACE)
  const error = isRecorded && errorIn(problem, 'recorded')
  return (
    <div className="border-t border-line px-5 py-4 text-data max-sm:px-4">
      <label className="flex cursor-pointer items-start gap-2.5 touch:min-h-11">
        <input
          type="checkbox"
          checked={isRecorded}
          onChange={({ target: { checked } }) =>
            onChange({
              isRecorded: checked,
              baseline: checked ? RECORDED : undefined,
              removed: removed.filter((name) => name !== RECORDED),
            })
          }
          className="mt-1 accent-action"
        />
        <span>
          <span className="font-medium">Compare with what production answered</span>
          <span className="block text-soft">
            The traces that the items were created from are the baseline. Nothing is called or paid for it.
          </span>
        </span>
      </label>
      {missing && (
        <p className="mt-1.5 pl-6 text-warn">
          {formatCount(missing.items)} of {countOf(missing.of, 'item')} were not created from a trace and have no
          recorded answer: the comparison is without them.
        </p>
      )}
      {error && (
        <p role="alert" className="mt-1.5 pl-6 text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
