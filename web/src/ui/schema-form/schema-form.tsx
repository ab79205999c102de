import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { SelectField } from '../select-field.tsx'
import { TextAreaField } from '../text-area-field.tsx'
import { TextField } from '../text-field.tsx'
import { choicesOf, type FieldError, fieldKind, hintOf, type JsonSchema, labelOf, variantsOf } from './json-schema.ts'
import { JsonTextField } from './json-text-field.tsx'
import { fits, numberOf, objectOf, withProperty } from './json-value.ts'
import { NumberField } from './number-field.tsx'
import { BooleanField, ChoiceField, type SchemaFieldProps, SpanField } from './schema-controls.tsx'
import { TextsField } from './texts-field.tsx'

interface FormTexts {
  /** Labels by the name of the property; without one, the name is made readable. */
  labels?: Record<string, string>
  /** Values to choose from, where the schema allows any text. */
  choices?: Record<string, { value: string; label: string }[]>
  /** Replaces the field of a property. */
  fields?: Record<
    string,
    (field: { value: unknown; onChange: (value: unknown) => void; error?: string | undefined }) => ReactNode
  >
}

interface SchemaFormProps extends FormTexts {
  schema: JsonSchema
  value: Record<string, unknown>
  onChange: (value: Record<string, unknown>) => void
  /** The problem that the server has found, if it concerns a property. */
  error?: FieldError | undefined
  /** Properties that are rarely needed; they are folded away unless they have a value. */
  rare?: readonly string[]
  /** A field of the caller, before the others of its width. */
  leading?: ReactNode
}

/** A form for an object, made of its JSON Schema. Properties that are unknown to the schema stay as they are. */
export function SchemaForm({ schema, value, onChange, error, rare = [], leading, ...texts }: SchemaFormProps) {
  const names = Object.keys(schema.properties ?? {})
  const isRare = (name: string) => rare.includes(name) && value[name] === undefined && error?.path[0] !== name
  const shown = names.filter((name) => !isRare(name))
  const folded = names.filter(isRare)
  // A field as wide as the form stays alone in its row.
  const before = Math.max(
    0,
    shown.findIndex((name) => !isWide(schema.properties?.[name] ?? {})),
  )
  const field = (name: string) => {
    const change = (next: unknown) => onChange(withProperty(value, name, next))
    const own = error?.path[0] === name ? { path: error.path.slice(1), message: error.message } : undefined
    const property = schema.properties?.[name] ?? {}
    return (
      <div key={name} className={classNames('min-w-0', isWide(property) && 'sm:col-span-2 wide:col-span-3')}>
        {texts.fields?.[name]?.({ value: value[name], onChange: change, error: own?.message }) ?? (
          <SchemaField
            label={texts.labels?.[name] ?? labelOf(name)}
            schema={property}
            isRequired={schema.required?.includes(name) ?? false}
            value={value[name]}
            onChange={change}
            error={own}
            choices={texts.choices?.[name]}
          />
        )}
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      <div className={gridClass}>
        {shown.slice(0, before).map(field)}
        {leading && <div className="min-w-0">{leading}</div>}
        {shown.slice(before).map(field)}
      </div>
      {folded.length > 0 && (
        <details className="text-data">
          <summary className="w-fit text-soft hover:text-ink">More options</summary>
          <div className={`mt-3 ${gridClass}`}>{folded.map(field)}</div>
        </details>
      )}
    </div>
  )
}

const gridClass = 'grid grid-cols-1 items-start gap-4 sm:grid-cols-2 wide:grid-cols-3'

const wideKinds = ['long-text', 'texts', 'object', 'list', 'json']

function isWide(schema: JsonSchema): boolean {
  return wideKinds.includes(fieldKind(schema))
}

/** The control for a value of any schema. What has no control of its own is edited as JSON. */
export function SchemaField(props: SchemaFieldProps) {
  const { label, schema, isRequired, value, onChange, error, choices } = props
  const kind = fieldKind(schema)
  const hint = hintOf(schema)
  const common = { label, hint, isOptional: !isRequired, error: error?.message }
  const placeholder = schema.default === undefined ? '' : String(schema.default)
  const isDrawable = value === undefined || fits(kind, value)
  if (!isDrawable) return <JsonTextField {...common} value={value} onChange={onChange} />
  if (choices) return <ChoiceField {...props} options={choices} />
  switch (kind) {
    case 'choice':
      return <ChoiceField {...props} options={(choicesOf(schema) ?? []).map((one) => ({ value: one, label: one }))} />
    case 'text':
    case 'long-text': {
      const Control = kind === 'text' ? TextField : TextAreaField
      return (
        <Control
          {...common}
          placeholder={placeholder}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
        />
      )
    }
    case 'number':
      return <NumberField {...common} placeholder={placeholder} value={numberOf(value)} onChange={onChange} />
    case 'boolean':
      return <BooleanField {...props} hint={hint} />
    case 'texts':
      return (
        <TextsField
          {...common}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(texts) => onChange(texts.every((text) => text === '') ? undefined : texts)}
        />
      )
    case 'span':
      return <SpanField {...props} hint={hint} />
    case 'object':
      return (
        <fieldset className="min-w-0 rounded-control border border-line p-3">
          <legend className="px-1 text-data font-medium">{label}</legend>
          <SchemaForm schema={schema} value={objectOf(value)} onChange={onChange} error={error} />
        </fieldset>
      )
    case 'list':
      return <ListField {...props} hint={hint} />
    case 'variants':
      return <VariantField {...props} />
    default:
      return <JsonTextField {...common} value={value} onChange={onChange} />
  }
}

function ListField({ label, schema, value, onChange, error, hint }: SchemaFieldProps & { hint: string }) {
  const rows = Array.isArray(value) ? value.map(objectOf) : []
  const change = (next: Record<string, unknown>[]) => onChange(next.length === 0 ? undefined : next)
  const [index, ...path] = error?.path ?? []
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 text-data font-medium">{label}</legend>
      {rows.map((row, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity but their place
        <div key={place} className="rounded-control border border-line p-3">
          <div className="mb-2 flex items-center justify-between text-data font-medium">
            {label} {place + 1}
            <Button size="small" look="quiet" onClick={() => change(rows.filter((_, other) => other !== place))}>
              <X aria-hidden className="size-4" />
              Remove
            </Button>
          </div>
          <SchemaForm
            schema={schema.items ?? {}}
            value={row}
            onChange={(next) => change(rows.map((old, other) => (other === place ? next : old)))}
            error={error && index === place ? { path, message: error.message } : undefined}
          />
        </div>
      ))}
      <span>
        <Button size="small" onClick={() => change([...rows, {}])}>
          <Plus aria-hidden className="size-4" />
          Add
          <span className="sr-only">to {label}</span>
        </Button>
      </span>
      <p className={`text-data ${error && path.length === 0 ? 'text-danger' : 'text-faint'}`}>
        {error && path.length === 0 ? error.message : hint}
      </p>
    </fieldset>
  )
}

function VariantField(props: SchemaFieldProps) {
  const { label, schema, value, onChange } = props
  const variants = variantsOf(schema)
  const found = variants.findIndex((variant) => fits(fieldKind(variant), value))
  const chosen = value === undefined ? -1 : found
  const variant = variants[chosen]
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label={label}
        hint={hintOf(schema)}
        value={String(chosen)}
        onChange={(event) => onChange(emptyOf(variants[Number(event.target.value)]))}
      >
        <option value="-1">Not set</option>
        {variants.map((one, index) => (
          <option key={JSON.stringify(one)} value={index}>
            {one.title ?? String(one.const ?? one.type ?? 'JSON')}
          </option>
        ))}
      </SelectField>
      {variant && <SchemaField {...props} label={variant.title ?? label} schema={variant} />}
    </div>
  )
}

function emptyOf(schema: JsonSchema | undefined): unknown {
  if (!schema) return undefined
  if (schema.const !== undefined) return schema.const
  const empty = {
    text: '',
    'long-text': '',
    number: 0,
    boolean: false,
    texts: [''],
    object: {},
    list: [],
    span: [0, 1],
  }
  return Object(empty)[fieldKind(schema)] ?? schema.default ?? null
}
