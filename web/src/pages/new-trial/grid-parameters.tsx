import { Plus, X } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { GridParameter } from './variant-list.ts'

const PARAMETERS_MAX = 5

interface GridParametersProps {
  parameters: readonly GridParameter[]
  onChange: (parameters: GridParameter[]) => void
}

/** Further settings of the model, each with the values that are tried. */
export function GridParameters({ parameters, onChange }: GridParametersProps) {
  const set = (place: number, changes: Partial<GridParameter>) =>
    onChange(parameters.map((one, index) => (index === place ? { ...one, ...changes } : one)))
  return (
    <div className="flex flex-col gap-2">
      {parameters.map((parameter, place) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no id, and none of them moves
          key={place}
          className="grid items-end gap-2 grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto]"
        >
          <TextField
            label="Parameter"
            placeholder="temperature"
            spellCheck={false}
            value={parameter.name}
            onChange={({ target }) => set(place, { name: target.value })}
            className="font-mono"
          />
          <TextField
            label="Values"
            placeholder="0, 0.7"
            spellCheck={false}
            value={parameter.values}
            onChange={({ target }) => set(place, { values: target.value })}
            className="font-mono"
          />
          <IconButton
            label={`Remove ${parameter.name || 'the parameter'}`}
            onClick={() => onChange(parameters.filter((_, index) => index !== place))}
          >
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
      ))}
      {parameters.length < PARAMETERS_MAX && (
        <Button
          look="quiet"
          size="small"
          className="self-start"
          onClick={() => onChange([...parameters, { name: parameters.length === 0 ? 'temperature' : '', values: '' }])}
        >
          <Plus aria-hidden className="size-3.5" />
          Parameter
        </Button>
      )}
    </div>
  )
}
