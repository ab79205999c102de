import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { componentsQuery, datasetsQuery } from '../../api/components-query.ts'
import { createDataset } from '../../api/dataset-items-query.ts'

const NEW = 'new'

/** A component and one of its datasets, or a new one. Until the user chooses, the newest ones are chosen. */
export function useDatasetChoice(applicationId: string, firstComponentId: string | undefined) {
  const [chosen, setChosen] = useState<{ componentId?: string; datasetId?: string }>({})
  const [newName, setNewName] = useState('')
  const components = useAllPages(useInfiniteQuery(componentsQuery(applicationId)))
  const componentId = chosen.componentId ?? firstComponentId ?? components.data?.[0]?.id
  const datasets = useAllPages(
    useInfiniteQuery({ ...datasetsQuery(applicationId, componentId ?? ''), enabled: componentId !== undefined }),
  )
  const areDatasetsPending = componentId !== undefined && datasets.isPending
  const datasetId = chosen.datasetId ?? datasets.data?.[0]?.id ?? NEW
  /** Creates the chosen dataset if it is a new one. If what follows fails, the next attempt must not create another one. */
  const ensureDataset = async (inComponent: string): Promise<{ id: string; isNew: boolean }> => {
    if (datasetId !== NEW) return { id: datasetId, isNew: false }
    const { id } = await createDataset(applicationId, inComponent, newName.trim())
    setChosen({ ...chosen, datasetId: id })
    return { id, isNew: true }
  }
  return {
    components: components.data,
    datasets: datasets.data,
    /** The lists decide what is chosen first. */
    isLoading: components.isPending || (chosen.componentId === undefined && areDatasetsPending),
    areDatasetsPending,
    /** The list that could not be loaded. */
    failed: components.error ? components : datasets.error ? datasets : undefined,
    componentId,
    datasetId: datasetId === NEW ? undefined : datasetId,
    ensureDataset,
    typedName: newName,
    chooseComponent: (id: string) => setChosen({ componentId: id }),
    /** Undefined chooses a new dataset. */
    chooseDataset: (id: string | undefined) => setChosen({ ...chosen, datasetId: id ?? NEW }),
    nameDataset: setNewName,
  }
}

export type DatasetChoice = ReturnType<typeof useDatasetChoice>

/** Loads all pages of a list, one after the other: a choice of only the newest would hide the others. */
function useAllPages<Rows>(query: UseInfiniteQueryResult<Rows>): UseInfiniteQueryResult<Rows> {
  const { hasNextPage, isFetching, error, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage()
  }, [hasNextPage, isFetching, error, fetchNextPage])
  return query
}
