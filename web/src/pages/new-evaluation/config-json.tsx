import { JsonTextField } from '../../ui/schema-form/json-text-field.tsx'
import { isObject } from '../../ui/schema-form/json-value.ts'
import type { Config } from './evaluation-draft.ts'

interface ConfigJsonProps {
  config: Config
  /** What the server says about the config. */
  error: string | undefined
  onChange: (config: Config) => void
}

/** The whole config as the API takes it. The form shows the same, and everything that it cannot draw is only here. */
export function ConfigJson({ config, error, onChange }: ConfigJsonProps) {
  return (
    <JsonTextField
      label="Config"
      hint="As the API takes it. The form follows what you write here."
      rows={24}
      error={error}
      value={config}
      onChange={(value) => {
        if (value === undefined) onChange({})
        else if (isObject(value)) onChange(value)
      }}
    />
  )
}
