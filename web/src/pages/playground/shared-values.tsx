import { TextField } from '../../ui/text-field.tsx'
import type { TypedValues } from './playground-record.ts'

interface SharedValuesProps {
  names: readonly string[]
  values: TypedValues
  onChange: (values: TypedValues) => void
}

/** Variables that the items do not have: typed once for all of them. */
export function SharedValues({ names, values, onChange }: SharedValuesProps) {
  if (names.length === 0) return null
  return (
    <fieldset className="mb-4 rounded-card border border-line bg-surface px-4 pt-2 pb-4 shadow-lift">
      <legend className="float-left mb-2 text-data font-medium">Not in the items: the same for all of them</legend>
      <div className="clear-both grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {names.map((name) => (
          <TextField
            key={name}
            label={<span className="font-mono text-code text-info">{name}</span>}
            value={values[name] ?? ''}
            onChange={(event) => onChange({ ...values, [name]: event.target.value })}
          />
        ))}
      </div>
    </fieldset>
  )
}
