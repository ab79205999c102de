import type { Dataset } from '../../api/generated/api.ts'
import { numberOf } from '../../ui/schema-form/json-value.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { SchemaField } from '../../ui/schema-form/schema-form.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { type EvaluationDraft, knownKeys, textOf } from './evaluation-draft.ts'

interface MoreSettingsProps {
  draft: EvaluationDraft
  datasets: Dataset[]
  errorOf: (key: string) => string | undefined
  onName: (name: string) => void
  onChange: (key: string, value: unknown) => void
}

const foldedKeys = ['split', 'concurrency', 'anchors', 'canaries', 'plannedLooks', 'plannedItems']

/** What few evaluations need. */
export function MoreSettings({ draft: { name, config }, datasets, errorOf, onName, onChange }: MoreSettingsProps) {
  const others = Object.keys(config).filter((key) => !knownKeys.includes(key))
  const anchors = textOf(config['anchors'])
  const isKnown = anchors === undefined || datasets.some(({ id }) => id === anchors)
  const isOpen = foldedKeys.some((key) => config[key] !== undefined || errorOf(key) !== undefined)
  return (
    <details open={isOpen || undefined}>
      <summary className="w-fit text-data font-medium text-soft hover:text-ink">More settings</summary>
      <div className="mt-3 grid grid-cols-1 items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Name of the evaluation"
          isOptional
          value={name}
          onChange={(event) => onName(event.target.value)}
        />
        <SelectField
          label="Only items of a split"
          error={errorOf('split')}
          value={textOf(config['split']) ?? ''}
          onChange={(event) => onChange('split', textOf(event.target.value))}
        >
          <option value="">All items</option>
          {['train', 'validation', 'test'].map((split) => (
            <option key={split} value={split}>
              {split}
            </option>
          ))}
        </SelectField>
        <NumberField
          label="Questions at a time"
          placeholder="4"
          hint="1 to 100; a connection may allow fewer."
          error={errorOf('concurrency')}
          value={numberOf(config['concurrency'])}
          onChange={(value) => onChange('concurrency', value)}
        />
        <SelectField
          label="Anchors"
          hint="A dataset of labeled answers, judged again each time, to notice when a judge changes."
          error={errorOf('anchors')}
          value={anchors ?? ''}
          onChange={(event) => onChange('anchors', textOf(event.target.value))}
        >
          <option value="">None</option>
          {datasets.map((dataset) => (
            <option key={dataset.id} value={dataset.id}>
              {dataset.name}
            </option>
          ))}
          {!isKnown && <option value={anchors}>A dataset of another component</option>}
        </SelectField>
        <NumberField
          label="Planned looks"
          placeholder="1"
          hint="How often you compare the run while items are added, 2 to 20. All looks together have the 5 % of one."
          error={errorOf('plannedLooks')}
          value={numberOf(config['plannedLooks'])}
          onChange={(value) => onChange('plannedLooks', value)}
        />
        <NumberField
          label="Items at the last look"
          placeholder="all"
          hint="Default: all items of the dataset or the split."
          error={errorOf('plannedItems')}
          value={numberOf(config['plannedItems'])}
          onChange={(value) => onChange('plannedItems', value)}
        />
        <SchemaField
          label="Test the judges with prompt injections"
          schema={{
            type: 'boolean',
            default: false,
            description: 'Twenty answers that ask for a better verdict; measures how often they get it.',
          }}
          isRequired={false}
          error={errorOf('canaries') === undefined ? undefined : { path: [], message: errorOf('canaries') ?? '' }}
          value={config['canaries']}
          onChange={(value) => onChange('canaries', value)}
        />
      </div>
      {others.length > 0 && (
        <p className="mt-3 text-data text-faint">Also in the config, and kept as they are: {others.join(', ')}.</p>
      )}
    </details>
  )
}
