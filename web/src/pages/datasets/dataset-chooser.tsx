import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { countOf } from '../../ui/format-number.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { distinctNames } from '../../ui/shared-names.ts'
import { TextField } from '../../ui/text-field.tsx'
import { QueryError } from '../shell/query-error.tsx'
import type { DatasetChoice } from './use-dataset-choice.ts'

const NEW = ''

export function DatasetChooser({ choice }: { choice: DatasetChoice }) {
  const { components = [], failed, componentId } = choice
  const names = distinctNames(components)
  if (failed) return <QueryError query={failed} />
  if (components.length === 0) {
    return <p className="text-soft">A dataset belongs to a component. Create a component first.</p>
  }
  return (
    <>
      <SelectField
        ref={focusOnMount}
        label="Component"
        value={componentId}
        onChange={(event) => choice.chooseComponent(event.target.value)}
      >
        {components.map(({ id }) => (
          <option key={id} value={id}>
            {names.get(id)}
          </option>
        ))}
      </SelectField>
      <DatasetField choice={choice} />
    </>
  )
}

/** One of the datasets of the chosen component, or the name of a new one. */
export function DatasetField({ choice }: { choice: DatasetChoice }) {
  const { datasets, datasetId } = choice
  return (
    <>
      <SelectField
        label="Dataset"
        value={datasetId ?? NEW}
        onChange={(event) => choice.chooseDataset(event.target.value || undefined)}
      >
        {datasets?.map(({ id, name, itemCount }) => (
          <option key={id} value={id}>
            {name} ({countOf(itemCount, 'item')})
          </option>
        ))}
        <option value={NEW}>{choice.areDatasetsPending ? 'Loading…' : 'New dataset…'}</option>
      </SelectField>
      {datasetId === undefined && !choice.areDatasetsPending && (
        <TextField
          label="Name of the new dataset"
          required
          pattern=".*\S.*"
          maxLength={500}
          autoComplete="off"
          placeholder="hard cases"
          value={choice.typedName}
          onChange={(event) => choice.nameDataset(event.target.value)}
        />
      )}
    </>
  )
}
