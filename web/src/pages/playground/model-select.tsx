import { ChevronDown } from 'lucide-react'
import type { Connection, PromptContent } from '../../api/generated/api.ts'
import type { Target } from './playground-record.ts'

interface ModelSelectProps {
  label: string
  /** Of the column, without the chosen model. */
  content: PromptContent
  target: Target | undefined
  called: { provider: string | undefined; model: string | undefined }
  connections: readonly Connection[]
  onChange: (target: Target | undefined) => void
}

const SEPARATOR = '\n'

/** The model that a column calls: that of the prompt, or any other of the connections. */
export function ModelSelect({ label, content, target, called, connections, onChange }: ModelSelectProps) {
  const isListed = connections.some(({ name, models }) => name === target?.provider && models.includes(target.model))
  const own = content.model ?? (content.provider === null ? 'Default model' : `First model of ${content.provider}`)
  const choose = (value: string) => {
    const [provider = '', model = ''] = value.split(SEPARATOR)
    onChange(value === '' ? undefined : { provider, model })
  }
  return (
    <span className="flex max-w-full items-center gap-1.5">
      <span className="relative inline-flex min-w-0 items-center">
        <select
          aria-label={label}
          value={target ? `${target.provider}${SEPARATOR}${target.model}` : ''}
          onChange={(event) => choose(event.target.value)}
          className="-ml-1 min-h-7 field-sizing-content max-w-56 min-w-0 cursor-pointer appearance-none truncate rounded-control bg-transparent py-0 pr-6 pl-1 font-mono text-code hover:bg-hover touch:min-h-11"
        >
          <option value="">
            {called.model !== undefined && !target && content.model === null ? called.model : own}
          </option>
          {connections.map(({ id, name, models }) => (
            <optgroup key={id} label={name}>
              {models.map((model) => (
                <option key={model} value={`${name}${SEPARATOR}${model}`}>
                  {model}
                </option>
              ))}
            </optgroup>
          ))}
          {target && !isListed && (
            <option value={`${target.provider}${SEPARATOR}${target.model}`}>{target.model}</option>
          )}
        </select>
        <ChevronDown aria-hidden className="pointer-events-none absolute right-1 size-3.5 text-faint" />
      </span>
      <span className="min-w-0 truncate text-meta text-faint">{called.provider}</span>
    </span>
  )
}
