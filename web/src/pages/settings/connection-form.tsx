import { type FormEvent, type ReactNode, useState } from 'react'
import type { ConnectionSettings } from '../../api/connections-query.ts'
import type { Connection } from '../../api/generated/api.ts'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readSecret, readText } from '../shell/read-text.ts'

interface ConnectionFormProps {
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
  const [baseUrl, setBaseUrl] = useState(connection?.baseUrl ?? '')
  const { hint, placeholder, notice } = keyField(baseUrl.trim())
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const perMinute = readText(form, 'requestsPerMinute')
    const settings = {
      name: readText(form, 'name'),
      baseUrl: baseUrl.trim(),
      models: readLines(readText(form, 'models')),
      concurrency: Number(readText(form, 'concurrency')),
      requestsPerMinute: perMinute === '' ? null : Number(perMinute),
    }
    props.onSubmit(settings, readSecret(form, 'apiKey').trim())
  }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
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
      <TextField
        label="Base URL"
        type="url"
        required
        autoComplete="off"
        spellCheck={false}
        placeholder="https://api.openai.com/v1"
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.target.value)}
        hint="Of an OpenAI-compatible endpoint, without /chat/completions."
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
        placeholder={'gpt-5-mini\ngpt-5'}
        defaultValue={connection?.models.join('\n')}
        hint="One per line. The first is used by judges that name none."
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
      <FormEnd submitLabel={submitLabel} error={error} isBusy={isBusy} onCancel={props.onCancel} />
    </form>
  )
}

/** Commas separate, too: names of models have none. */
function readLines(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
