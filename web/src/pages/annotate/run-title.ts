const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** The name of a run; one without a name is recognized by its dataset and its time. */
export function runTitle({
  name,
  datasetName,
  createdAt,
}: {
  name: string | null
  datasetName: string
  createdAt: string
}) {
  return name?.trim() ? name : `${datasetName}, ${times.format(new Date(createdAt))}`
}
