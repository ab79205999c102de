import { Braces, Plus, Wrench, X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { JsonTextField } from '../../ui/schema-form/json-text-field.tsx'
import { describeTool, type Tool } from './describe-tool.ts'
import { isObject } from './prompt-draft.ts'

interface ToolsEditorProps {
  tools: Tool[]
  isReadOnly: boolean
  onChange: (tools: Tool[]) => void
}

/** The functions that the model may call, each as JSON in the form of any provider. */
export function ToolsEditor({ tools, isReadOnly, onChange }: ToolsEditorProps) {
  const titleId = useId()
  const [open, setOpen] = useState<number>()
  const add = () => {
    onChange([...tools, NEW_TOOL])
    setOpen(tools.length)
  }
  return (
    <section aria-labelledby={titleId} className="min-w-0">
      <div className="flex min-h-8 items-center justify-between gap-2">
        <h2 id={titleId} className="text-body font-semibold">
          Tools
        </h2>
        {!isReadOnly && (
          <Button look="quiet" size="small" onClick={add}>
            <Plus aria-hidden className="size-4" />
            Tool
          </Button>
        )}
      </div>
      {tools.length === 0 && <p className="text-data text-faint">None: the model only writes.</p>}
      <ul className="divide-y divide-line">
        {tools.map((tool, index) => {
          const { name, parameters, description } = describeTool(tool)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: tools have no identity but their position
            <li key={index} className="py-2">
              <div className="flex items-start gap-2">
                <Wrench aria-hidden className="mt-1 size-3.5 shrink-0 text-faint" />
                <div className="min-w-0 flex-1 text-data">
                  <p className="font-mono text-code wrap-anywhere">
                    <bdi className="font-semibold">{name}</bdi>({parameters.join(', ')})
                  </p>
                  {description && <p className="text-soft">{description}</p>}
                </div>
                <IconButton
                  label={`${open === index ? 'Hide' : 'Show'} ${name} as JSON`}
                  size="small-icon"
                  aria-expanded={open === index}
                  onClick={() => setOpen(open === index ? undefined : index)}
                >
                  <Braces aria-hidden className="size-4" />
                </IconButton>
                {!isReadOnly && (
                  <IconButton
                    label={`Remove ${name}`}
                    size="small-icon"
                    onClick={() => {
                      setOpen(undefined)
                      onChange(tools.toSpliced(index, 1))
                    }}
                  >
                    <X aria-hidden className="size-4" />
                  </IconButton>
                )}
              </div>
              {open === index &&
                (isReadOnly ? (
                  <pre className="mt-2 overflow-x-auto rounded-control bg-sunken p-3 font-mono text-code">
                    {JSON.stringify(tool, null, 2)}
                  </pre>
                ) : (
                  <div className="mt-2">
                    <JsonTextField
                      label={`${name} as JSON`}
                      rows={10}
                      value={tool}
                      onChange={(value) => isObject(value) && onChange(tools.with(index, value))}
                    />
                  </div>
                ))}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const NEW_TOOL: Tool = {
  type: 'function',
  function: {
    name: 'new_tool',
    description: 'What it does, and when to call it',
    parameters: { type: 'object', properties: {}, required: [] },
  },
}
