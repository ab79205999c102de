import { metricTitle } from '../../ui/metric-words.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { Select } from '../../ui/select-field.tsx'
import { evaluatorsOf, nameOf } from '../new-evaluation/evaluation-draft.ts'
import { FormSection } from '../new-evaluation/form-section.tsx'
import { type ExperimentDraft, type Role, roleOf } from './experiment-draft.ts'

interface GoalsPartProps {
  draft: ExperimentDraft
  onChange: (changes: Partial<ExperimentDraft>) => void
}

const roles: { value: Role; title: string }[] = [
  { value: 'improve', title: 'improve' },
  { value: 'notWorse', title: 'must not get worse' },
  { value: 'tieBreak', title: 'decides between equal ones' },
]

/** What each score is for: the search raises some, and others only must not fall. */
export function GoalsPart({ draft, onChange }: GoalsPartProps) {
  const metrics = evaluatorsOf(draft.config).map(nameOf)
  const setRole = (metric: string, changes: Partial<ReturnType<typeof roleOf>>) =>
    onChange({ roles: { ...draft.roles, [metric]: { ...roleOf(draft, metric), ...changes } } })
  return (
    <FormSection title="What each score is for">
      <div className="divide-y divide-line rounded-card border border-line bg-surface text-data shadow-lift">
        {metrics.length === 0 && <p className="px-4 py-3 text-soft">Choose evaluators above.</p>}
        {metrics.map((metric) => {
          const { role, margin } = roleOf(draft, metric)
          return (
            <div key={metric} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <span className="min-w-40 flex-1 font-medium wrap-anywhere">
                <bdi>{metricTitle(metric)}</bdi>
              </span>
              <Select
                aria-label={`Role of ${metricTitle(metric)}`}
                value={role}
                onChange={({ target }) =>
                  setRole(metric, { role: roles.find(({ value }) => value === target.value)?.value ?? 'improve' })
                }
              >
                {roles.map(({ value, title }) => (
                  <option key={value} value={value}>
                    {title}
                  </option>
                ))}
              </Select>
              {role === 'notWorse' && (
                <div className="w-36">
                  <NumberField
                    label="May fall by"
                    placeholder="0.03"
                    value={margin}
                    onChange={(value) => setRole(metric, { margin: value })}
                  />
                </div>
              )}
            </div>
          )
        })}
        <label className="flex min-h-10 cursor-pointer flex-wrap items-center gap-2 px-4 py-2.5 touch:min-h-11">
          <input
            type="checkbox"
            checked={draft.cheaperWins}
            onChange={({ target }) => onChange({ cheaperWins: target.checked })}
            className="accent-action"
          />
          <span className="font-medium">Cost of an answer</span>
          <span className="text-soft">the cheaper one wins if the scores are equal</span>
        </label>
      </div>
    </FormSection>
  )
}
