import { Lock, LockOpen } from 'lucide-react'
import type { Dataset, Prompt, PromptVersion } from '../../api/generated/api.ts'
import { formatCount } from '../../ui/format-number.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import { titleOf } from '../prompts/message-card.tsx'
import { type ExperimentDraft, paragraphsOf } from './experiment-draft.ts'

interface PromptPartProps {
  draft: ExperimentDraft
  prompts: Prompt[]
  datasets: Dataset[]
  /** Newest first. */
  versions: { number: number; labels: string[] }[]
  version: PromptVersion | undefined
  /** The variables and placeholders of the version. */
  names: string[]
  onChange: (changes: Partial<ExperimentDraft>) => void
}

/** The version to start from, the items, and what a proposal must not change. */
export function PromptPart({ draft, prompts, datasets, versions, version, names, onChange }: PromptPartProps) {
  return (
    <FormSection title="What to improve">
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Prompt"
          value={draft.promptId ?? ''}
          onChange={({ target }) =>
            onChange({ promptId: target.value, version: undefined, frozen: [], frozenTexts: [], variables: {} })
          }
        >
          {prompts.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Version"
          value={draft.version ?? versions[0]?.number ?? ''}
          onChange={({ target }) => onChange({ version: Number(target.value), frozen: [], frozenTexts: [] })}
        >
          {versions.map(({ number, labels }) => (
            <option key={number} value={number}>
              {[`v${number}`, ...labels].join(', ')}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Dataset"
          value={draft.datasetId}
          onChange={({ target }) => onChange({ datasetId: target.value })}
        >
          {datasets.map(({ id, name, itemCount }) => (
            <option key={id} value={id}>
              {name} ({formatCount(itemCount)} items)
            </option>
          ))}
        </SelectField>
        <TextField
          label="Name"
          isOptional
          value={draft.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </div>
      {version && <FrozenParts draft={draft} version={version} names={names} onChange={onChange} />}
      {names.length > 0 && (
        <details className="mt-4">
          <summary className="cursor-pointer text-data text-soft hover:text-ink touch:min-h-11">
            <b className="font-medium text-ink">Variables</b> where they are in the items
          </summary>
          <div className="mt-3 grid gap-3 sm:grid-cols-2">
            {names.map((name) => (
              <TextField
                key={name}
                label={name}
                placeholder={`input.${name}`}
                hint="A path into the item, or a text in quotes."
                spellCheck={false}
                value={Object.hasOwn(draft.variables, name) ? (draft.variables[name] ?? '') : ''}
                onChange={({ target }) => onChange({ variables: { ...draft.variables, [name]: target.value } })}
                className="font-mono"
              />
            ))}
          </div>
        </details>
      )}
    </FormSection>
  )
}

type FrozenPartsProps = Pick<PromptPartProps, 'draft' | 'names' | 'onChange'> & { version: PromptVersion }

/** A proposal that changes one of them is rejected. Variables are always frozen. */
function FrozenParts({ draft, version, names, onChange }: FrozenPartsProps) {
  const { messages } = version.content
  const paragraphs = paragraphsOf(messages)
  const toggle = (list: readonly string[], one: string) =>
    list.includes(one) ? list.filter((other) => other !== one) : [...list, one]
  const chip =
    'inline-flex min-h-8 items-center gap-1.5 rounded-control border px-2.5 font-mono text-code touch:min-h-11'
  return (
    <fieldset className="mt-4">
      <legend className="text-data font-medium">
        Frozen parts <span className="font-normal text-soft">a proposal that changes one is rejected</span>
      </legend>
      <div className="mt-1.5 flex flex-wrap gap-2">
        {messages.map((message, place) => {
          const pointer = `/messages/${place}`
          const isFrozen = draft.frozen.includes(pointer)
          if (!('content' in message)) return null
          const Icon = isFrozen ? Lock : LockOpen
          return (
            <button
              key={pointer}
              type="button"
              aria-pressed={isFrozen}
              onClick={() => onChange({ frozen: toggle(draft.frozen, pointer) })}
              className={`${chip} ${isFrozen ? 'border-edge bg-surface' : 'border-dashed border-edge text-soft hover:text-ink'}`}
            >
              <Icon aria-hidden className="size-3.5" />
              {titleOf(message.role).toLowerCase()} message{messages.length > 2 && ` ${place + 1}`}
            </button>
          )
        })}
        {names.map((name) => (
          <span key={name} className={`${chip} border-line bg-sunken text-soft`}>
            <Lock aria-hidden className="size-3.5" />
            {`{{${name}}}`}
            <span className="sr-only">, always frozen</span>
          </span>
        ))}
      </div>
      {paragraphs.length > 0 && (
        <details className="mt-2">
          <summary className="cursor-pointer text-data text-soft hover:text-ink touch:min-h-11">
            + Freeze a paragraph{draft.frozenTexts.length > 0 && `: ${draft.frozenTexts.length} chosen`}
          </summary>
          <ul className="mt-2 flex flex-col gap-1 rounded-card border border-line bg-surface p-3">
            {paragraphs.map((text) => (
              <li key={text}>
                <label className="flex min-h-8 cursor-pointer items-start gap-2 text-data touch:min-h-11">
                  <input
                    type="checkbox"
                    checked={draft.frozenTexts.includes(text)}
                    onChange={() => onChange({ frozenTexts: toggle(draft.frozenTexts, text) })}
                    className="mt-1 accent-action"
                  />
                  <span className="min-w-0 wrap-anywhere">{text}</span>
                </label>
              </li>
            ))}
          </ul>
        </details>
      )}
    </fieldset>
  )
}
