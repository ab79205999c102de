import type { Dataset } from '../../api/generated/api.ts'
import { IdLabel } from '../../ui/id-label.tsx'

/** The name of the dataset if it is loaded, else its id. */
export function DatasetName({ id, datasets }: { id: string; datasets: Dataset[] }) {
  const dataset = datasets.find((candidate) => candidate.id === id)
  return dataset ? <span>{dataset.name}</span> : <IdLabel id={id} label="Copy dataset id" />
}
