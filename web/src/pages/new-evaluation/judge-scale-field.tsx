import { numberOf } from '../../ui/schema-form/json-value.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { Segmented } from '../../ui/segmented.tsx'

interface JudgeScaleFieldProps {
  /** Distinguishes the choices of several judges. */
  name: string
  value: unknown
  /** Whether the judge may only say passed or not. */
  canPass: boolean
  error?: string | undefined
  onChange: (value: unknown) => void
}

/** Whether a judge says passed or not, or gives a score, and on which scale. */
export function JudgeScaleField({ name, value, canPass, error, onChange }: JudgeScaleFieldProps) {
  const scale = Array.isArray(value) ? value.map(numberOf) : undefined
  const is = (low: number, high: number) => scale?.[0] === low && scale[1] === high
  const kind = scale === undefined ? 'pass' : is(1, 5) ? '1 to 5' : 'other'
  const choose = (next: string) => onChange(next === 'pass' ? undefined : next === '1 to 5' ? [1, 5] : [0, 10])
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-data font-medium">The judge says</span>
      <span>
        <Segmented
          label={`What ${name} says`}
          value={kind}
          options={[
            { value: 'pass', label: canPass ? 'Passes or not' : '1 to 5, by default' },
            ...(canPass || kind === '1 to 5' ? [{ value: '1 to 5', label: '1 to 5' }] : []),
            { value: 'other', label: 'Other' },
          ]}
          onChange={choose}
        />
      </span>
      {kind === 'other' && (
        <div className="grid grid-cols-2 gap-3">
          <NumberField
            label="Worst"
            value={scale?.[0]}
            onChange={(low) => onChange([low ?? null, scale?.[1] ?? null])}
          />
          <NumberField
            label="Best"
            value={scale?.[1]}
            onChange={(high) => onChange([scale?.[0] ?? null, high ?? null])}
          />
        </div>
      )}
      {error && <p className="text-data text-danger">{error}</p>}
    </div>
  )
}
