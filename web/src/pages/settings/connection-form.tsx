import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { ConnectionSettings } from '../../api/connections-query.ts'
import type { Connection } from '../../api/generated/api.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readSecret, readText } from '../shell/read-text.ts'
import { AllowTarget } from './allow-target.tsx'
import { providerKinds, providerOf } from './provider-kinds.ts'

interface ConnectionFormProps {
  applicationId: string
  /** The connection to change; undefined for a new one. */
  connection?: Connection
  submitLabel: string
  isBusy: boolean
  error: Error | null
  /** `apiKey` is empty if none was entered. */
  onSubmit: (settings: ConnectionSettings, apiKey: string) => void
  onCancel: () => void
  /** What happens to the key, below its field. */
  keyField: (baseUrl: string) => { hint: ReactNode; placeholder: string; notice?: ReactNode }
}

export function ConnectionForm({ connection, submitLabel, isBusy, error, keyField, ...props }: ConnectionFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [baseUrl, setBaseUrl] = useState(connection?.baseUrl ?? '')
  const [provider, setProvider] = useState(providerOf(connection?.kind ?? 'openai'))
  const changeKind = (kind: string) => {
    const next = providerOf(kind)
    // An address of the user's own stays.
    if (baseUrl === provider.baseUrl) setBaseUrl(next.baseUrl)
    setProvider(next)
  }
  const { hint, placeholder, notice } = keyField(baseUrl.trim())
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const perMinute = readText(data, 'requestsPerMinute')
    const settings = {
      name: readText(data, 'name'),
      kind: provider.kind,
      baseUrl: baseUrl.trim(),
      models: readLines(readText(data, 'models')),
      retirements: readRetirements(readText(data, 'retirements')),
      concurrency: Number(readText(data, 'concurrency')),
      requestsPerMinute: perMinute === '' ? null : Number(perMinute),
    }
    props.onSubmit(settings, readSecret(data, 'apiKey').trim())
  }
  return (
    <form ref={form} method="post" onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        name="name"
        required
        pattern=".*\S.*"
        autoComplete="off"
        placeholder="OpenAI"
        defaultValue={connection?.name}
        hint="Evaluations refer to the connection by this name."
      />
      <SelectField label="API" value={provider.kind} onChange={(event) => changeKind(event.target.value)}>
        {providerKinds.map(({ kind, label }) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Base URL"
        type="url"
        required={connection !== undefined}
        isOptional={connection === undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={provider.baseUrl}
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.target.value)}
        hint={baseUrlHint(provider.kind)}
      />
      <TextField
        label="API key"
        name="apiKey"
        type="password"
        isOptional
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        hint={hint}
      />
      <div role="status" className="empty:-mt-4">
        {notice}
      </div>
      <TextAreaField
        label="Models"
        name="models"
        isOptional
        spellCheck={false}
        placeholder={provider.models}
        defaultValue={connection?.models.join('\n')}
        hint="One per line. The first is used by judges that name none."
      />
      <TextAreaField
        label="Models that end"
        name="retirements"
        isOptional
        rows={2}
        spellCheck={false}
        placeholder="gpt-4o 2026-12-11"
        defaultValue={connection?.retirements.map(({ model, on }) => `${model} ${on}`).join('\n')}
        hint="One per line, with the day. It is shown before a version with this model is deployed."
      />
      <div className="grid grid-cols-2 gap-4">
        <TextField
          label="Requests at a time"
          name="concurrency"
          type="number"
          min={1}
          max={100}
          required
          defaultValue={connection?.concurrency ?? 4}
        />
        <TextField
          label="Requests per minute"
          name="requestsPerMinute"
          type="number"
          min={1}
          max={100_000}
          placeholder="no limit"
          defaultValue={connection?.requestsPerMinute ?? ''}
        />
      </div>
      <AllowTarget applicationId={props.applicationId} error={error} onAllowed={() => form.current?.requestSubmit()} />
      <FormEnd submitLabel={submitLabel} error={error} isBusy={isBusy} onCancel={props.onCancel} />
    </form>
  )
}

function baseUrlHint(kind: string): string {
  const path = { openai: '/chat/completions', anthropic: '/messages' }[kind]
  return path ? `With the version, without ${path}.` : 'With the version, without /models.'
}

/** The last word of a line is the day. What is no day is rejected by the server, which says so. */
function readRetirements(text: string): Connection['retirements'] {
  return readLines(text).map((line) => {
    const words = line.split(/\s+/)
    return { model: words.slice(0, -1).join(' ') || line, on: words.at(-1) ?? '' }
  })
}

/** Commas separate, too: names of models have none. */
function readLines(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
