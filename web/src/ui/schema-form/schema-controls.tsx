import { useId } from 'react'
import { Checkbox } from '../checkbox.tsx'
import { SelectField } from '../select-field.tsx'
import { type FieldError, hintOf, type JsonSchema } from './json-schema.ts'
import { numberOf } from './json-value.ts'
import { NumberField } from './number-field.tsx'

export interface SchemaFieldProps {
  label: string
  schema: JsonSchema
  isRequired: boolean
  value: unknown
  /** Undefined leaves the value out. */
  onChange: (value: unknown) => void
  error?: FieldError | undefined
  choices?: { value: string; label: string }[] | undefined
}

export function ChoiceField({
  label,
  schema,
  isRequired,
  value,
  onChange,
  error,
  options,
}: SchemaFieldProps & { options: { value: string; label: string }[] }) {
  const chosen = typeof value === 'string' ? value : ''
  const isListed = chosen === '' || options.some((option) => option.value === chosen)
  return (
    <SelectField
      label={label}
      hint={hintOf(schema)}
      isOptional={!isRequired}
      error={error?.message}
      value={chosen}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">
        {schema.default === undefined ? (isRequired ? 'Choose…' : 'Not set') : `${schema.default} (default)`}
      </option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
      {!isListed && <option value={chosen}>{chosen}</option>}
    </SelectField>
  )
}

/** The default is left out, so that a config has only what was chosen. */
export function BooleanField({ label, schema, value, onChange, error, hint }: SchemaFieldProps & { hint: string }) {
  const id = useId()
  const isOn = value === undefined ? schema.default === true : value === true
  const text = error?.message ?? hint
  return (
    <div className="flex gap-2.5">
      <Checkbox
        id={id}
        state={isOn ? 'on' : 'off'}
        aria-describedby={text ? `${id}-hint` : undefined}
        onChange={() => onChange(isOn === (schema.default === true) ? !isOn : undefined)}
        className="mt-0.5"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="block text-data font-medium">
          {label}
        </label>
        {text && (
          <p id={`${id}-hint`} className={`text-data ${error ? 'text-danger' : 'text-faint'}`}>
            {text}
          </p>
        )}
      </div>
    </div>
  )
}

export function SpanField({ label, value, onChange, error, hint }: SchemaFieldProps & { hint: string }) {
  const [low, high] = Array.isArray(value) ? value.map(numberOf) : []
  const change = (next: (number | undefined)[]) =>
    onChange(next.every((one) => one === undefined) ? undefined : next.map((one) => one ?? null))
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-data font-medium">{label}</legend>
      <div className="grid grid-cols-2 gap-3">
        <NumberField label="from" value={low} onChange={(next) => change([next, high])} error={error?.message} />
        <NumberField label="to" value={high} onChange={(next) => change([low, next])} />
      </div>
      {!error && <p className="mt-1.5 text-data text-faint">{hint}</p>}
    </fieldset>
  )
}
