import { X } from 'lucide-react'
import type { TrialEstimate } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCost, formatCount } from '../../ui/format-number.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { VariantMark } from '../trials/variant-mark.tsx'
import type { TrialDraft } from './trial-draft.ts'
import { errorIn, type TrialFieldError } from './trial-error.ts'
import { baselineIn, type DraftVariant, variantsOf } from './variant-list.ts'

interface VariantRowsProps {
  draft: TrialDraft
  estimate: TrialEstimate | undefined
  problem: TrialFieldError | undefined
  onChange: (changes: Partial<TrialDraft>) => void
}

/** What will run, one line each, with what it costs. One of them is the baseline. */
export function VariantRows({ draft, estimate, problem, onChange }: VariantRowsProps) {
  const variants = variantsOf(draft)
  const baseline = baselineIn(variants, draft.baseline)
  const marked = [
    ...variants.filter(({ name }) => name === baseline),
    ...variants.filter(({ name }) => name !== baseline),
  ]
  if (variants.length === 0 && draft.removed.length === 0) return null
  return (
    <fieldset className="border-t border-line">
      <legend className="sr-only">Baseline</legend>
      <p
        aria-hidden
        className="grid grid-cols-[minmax(0,1fr)_4rem_5rem_2rem] gap-x-2 px-5 pt-3 text-meta text-faint max-sm:px-4 max-sm:grid-cols-[minmax(0,1fr)_4.5rem_2rem]"
      >
        <span>Baseline: what the others are compared with</span>
        <span className="text-right max-sm:hidden">Calls</span>
        <span className="text-right">Cost</span>
      </p>
      {variants.map((variant) => {
        const { name } = variant
        const known = estimate?.variants.find((one) => one.name === name)
        const error = errorIn(problem, `variant ${name}`)
        return (
          <div
            key={name}
            className="grid grid-cols-[minmax(0,1fr)_4rem_5rem_2rem] items-center gap-x-2 border-t border-line/60 px-5 text-data first-of-type:border-t-0 hover:bg-hover/50 max-sm:grid-cols-[minmax(0,1fr)_4.5rem_2rem] max-sm:px-4"
          >
            <label className="flex min-h-9 min-w-0 cursor-pointer items-center gap-3 py-1.5 touch:min-h-11">
              <input
                type="radio"
                name="baseline"
                checked={name === baseline}
                onChange={() => onChange({ baseline: name })}
                className="accent-action"
              />
              <span className="min-w-0 wrap-anywhere">
                <VariantMark place={marked.indexOf(variant)} />
                <bdi className="font-medium">{name}</bdi> <span className="text-soft">{kindOf(variant)}</span>
              </span>
            </label>
            <span className="text-right text-soft tabular-nums max-sm:hidden">{known && formatCount(known.calls)}</span>
            <span className="text-right tabular-nums">
              {variant.target.type === 'recorded' ? 'nothing' : known && costOf(known)}
            </span>
            <IconButton
              label={`Remove ${name}`}
              disabledReason={variants.length === 1 ? 'A trial needs one variant.' : undefined}
              onClick={() =>
                onChange(
                  variant.target.type === 'recorded' ? { isRecorded: false } : { removed: [...draft.removed, name] },
                )
              }
            >
              <X aria-hidden className="size-4" />
            </IconButton>
            {error && <p className="col-span-full pb-2 pl-7 text-data text-danger">{error}</p>}
          </div>
        )
      })}
      {draft.removed.length > 0 && (
        <p className="px-5 py-2 max-sm:px-4">
          <Button look="quiet" size="small" onClick={() => onChange({ removed: [] })}>
            Put back what was removed
          </Button>
        </p>
      )}
    </fieldset>
  )
}

function kindOf({ target }: DraftVariant): string {
  if (target.type === 'recorded') return 'recorded answers'
  return target.type === 'worker' ? 'your code' : target.type === 'http' ? 'your service' : ''
}

/** The server cannot know what a service or a program costs. */
function costOf({ expectedUsd }: { expectedUsd: number | null }): string {
  return expectedUsd === null ? 'unknown' : formatCost(expectedUsd)
}
