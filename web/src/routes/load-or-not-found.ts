import { notFound } from '@tanstack/react-router'
import { hasStatus } from '../api/api-error.ts'

/** Loads what a page needs. A page of something that does not exist is not found. */
export async function loadOrNotFound(load: () => Promise<unknown>): Promise<void> {
  try {
    await load()
  } catch (error) {
    // 400: the id in the path has an invalid format.
    if (hasStatus(error, 400, 404)) throw notFound({ data: { requestId: error.requestId } })
    throw error
  }
}
