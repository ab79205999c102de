import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import type { Looks, TrialDraft } from './trial-draft.ts'
import { errorIn, type TrialFieldError } from './trial-error.ts'

interface LimitsPartProps {
  draft: TrialDraft
  problem: TrialFieldError | undefined
  onChange: (changes: Partial<TrialDraft>) => void
}

/** When a trial stops by itself, and how many calls run at a time. */
export function LimitsPart({ draft, problem, onChange }: LimitsPartProps) {
  return (
    <FormSection title="When it stops">
      <div className="grid items-start gap-3 sm:grid-cols-3">
        <NumberField
          label="Cost at most, in US dollars"
          placeholder="no limit"
          error={errorIn(problem, 'maxCostUsd')}
          hint="Of the answers; the judges have their own."
          value={draft.maxCostUsd}
          onChange={(maxCostUsd) => onChange({ maxCostUsd })}
        />
        <NumberField
          label="Minutes at most"
          placeholder="1440"
          error={errorIn(problem, 'maxMinutes')}
          value={draft.maxMinutes}
          onChange={(maxMinutes) => onChange({ maxMinutes })}
        />
        <NumberField
          label="Calls at a time"
          placeholder="8"
          error={errorIn(problem, 'concurrency')}
          hint="1 to 64; a connection may allow fewer."
          value={draft.concurrency}
          onChange={(concurrency) => onChange({ concurrency })}
        />
      </div>
      <fieldset className="mt-5">
        <legend className="text-data font-semibold">Looks at the scores</legend>
        <div className="mt-1 flex flex-col gap-1">
          {LOOKS.map(({ value, title, text }) => (
            <label key={value} className="flex min-h-8 cursor-pointer gap-2 text-data touch:min-h-11">
              <input
                type="radio"
                name="looks"
                checked={draft.looks === value}
                onChange={() => onChange({ looks: value })}
                className="mt-1 self-start accent-action"
              />
              <span>
                {title}
                <span className="block text-meta text-soft">{text}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
    </FormSection>
  )
}

const LOOKS: readonly { value: Looks; title: string; text: string }[] = [
  { value: 'atTheEnd', title: 'One, at the end', text: 'Finds the smallest differences.' },
  {
    value: 'early',
    title: 'After each tenth of the items, and stop early',
    text: 'A variant that is decided or hopeless gets no more calls. Finds less: see above.',
  },
  {
    value: 'planned',
    title: 'Five planned looks',
    text: 'Stop for large differences only. Finds nearly as much as one look.',
  },
]
