import { Check } from 'lucide-react'
import type { Dataset, TrialEstimate } from '../../api/generated/api.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import { type Split, type TrialDraft, variableText } from './trial-draft.ts'
import { errorIn, type TrialFieldError } from './trial-error.ts'

interface ItemsPartProps {
  draft: TrialDraft
  datasets: Dataset[]
  /** The variables of the chosen versions. */
  names: string[]
  estimate: TrialEstimate | undefined
  problem: TrialFieldError | undefined
  onChange: (changes: Partial<TrialDraft>) => void
}

const splits: readonly Split[] = ['train', 'validation', 'test']

/** Which items are asked, and where the variables of the prompts are in them. */
export function ItemsPart({ draft, datasets, names, estimate, problem, onChange }: ItemsPartProps) {
  const dataset = datasets.find(({ id }) => id === draft.datasetId)
  return (
    <FormSection title="Items" aside={dataset && `of ${formatCount(dataset.itemCount)}`}>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Dataset"
          value={draft.datasetId}
          onChange={({ target }) => onChange({ datasetId: target.value })}
        >
          {datasets.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Split"
          error={errorIn(problem, 'split')}
          value={draft.split ?? ''}
          onChange={({ target }) => onChange({ split: splits.find((split) => split === target.value) })}
        >
          <option value="">All items</option>
          {splits.map((split) => (
            <option key={split} value={split}>
              {split}
            </option>
          ))}
        </SelectField>
        <NumberField
          label="How many, at random"
          placeholder="all"
          error={errorIn(problem, 'sample')}
          value={draft.sampleSize}
          onChange={(sampleSize) => onChange({ sampleSize })}
        />
        <NumberField
          label="Seed"
          placeholder="0"
          hint="The same seed draws the same items."
          value={draft.seed}
          onChange={(seed) => onChange({ seed })}
        />
      </div>
      {names.length > 0 && (
        <div className="mt-4 rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4">
          <h3 className="text-data font-semibold">Variables</h3>
          <p className="mt-0.5 mb-3 text-meta text-soft">
            A path into the item, such as input.question, or a text in quotes that is the same for all items.
          </p>
          <div className="flex flex-col gap-3">
            {names.map((name) => (
              <Variable
                key={name}
                name={name}
                draft={draft}
                estimate={estimate}
                error={errorIn(problem, `variable ${name}`)}
                onChange={onChange}
              />
            ))}
          </div>
        </div>
      )}
    </FormSection>
  )
}

interface VariableProps extends Pick<ItemsPartProps, 'draft' | 'estimate' | 'onChange'> {
  name: string
  error: string | undefined
}

function Variable({ name, draft, estimate, error, onChange }: VariableProps) {
  const example = estimate?.variables.find((one) => one.name === name)?.example
  const missing = estimate?.missing.find(({ variable }) => variable === name)
  return (
    <div className="grid items-start gap-x-4 gap-y-1 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <TextField
        label={name}
        placeholder={`input.${name}`}
        spellCheck={false}
        error={error ?? (missing && `Missing in ${formatCount(missing.items)} of ${countOf(missing.of, 'item')}.`)}
        value={variableText(draft, name)}
        onChange={({ target }) => onChange({ variables: { ...draft.variables, [name]: target.value } })}
        className="font-mono"
      />
      {estimate && !missing && (
        <p className="flex min-w-0 items-center gap-1 text-data sm:mt-8">
          <Check aria-hidden className="size-4 shrink-0 text-good" />
          <span className="shrink-0 text-good">in all items</span>
          {example && <bdi className="min-w-0 truncate text-soft">, such as “{example}”</bdi>}
        </p>
      )}
    </div>
  )
}
