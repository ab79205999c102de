import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import type { TrialDraft } from './trial-draft.ts'
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
    </FormSection>
  )
}
