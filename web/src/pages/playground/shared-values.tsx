import { TextField } from '../../ui/text-field.tsx'
import type { TypedValues } from './playground-record.ts'
import { typedText } from './playground-values.ts'

interface SharedValuesProps {
  names: readonly string[]
  values: TypedValues
  /** Some items are a text instead of values with names. */
  hasTexts: boolean
  onChange: (values: TypedValues) => void
}

/** Variables that the items do not have: typed once for all of them. */
export function SharedValues({ names, values, hasTexts, onChange }: SharedValuesProps) {
  if (names.length === 0) return null
  return (
    <fieldset className="mb-4 rounded-card border border-line bg-surface px-4 pt-2 pb-4 shadow-lift">
      <legend className="float-left mb-2 text-data font-medium">Not in the items: the same for all of them</legend>
      {hasTexts && names.length > 1 && (
        <p className="clear-both mb-2 text-data text-soft">
          These items are texts. Leave one field empty: it gets the text of each item.
        </p>
      )}
      <div className="clear-both grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {names.map((name) => (
          <TextField
            key={name}
            label={<span className="font-mono text-code text-info">{name}</span>}
            value={typedText(values, name)}
            onChange={(event) => onChange({ ...values, [name]: event.target.value })}
          />
        ))}
      </div>
    </fieldset>
  )
}
