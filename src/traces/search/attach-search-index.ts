import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { SearchAttachment } from '../../storage/sqlite/search-hooks.ts'
import { addCandidateTable } from './candidate-table.ts'
import { attachEmptyIndex, attachIndexFile, hasIndexTables, progressIn } from './index-file-queries.ts'
import { isProgressOf, searchFileOf } from './sqlite-index.ts'

export const searchAttachment: SearchAttachment = {
  attach(database) {
    const file = searchFileOf(database.name)
    let index: Database.Database | undefined
    try {
      attachIndexFile(database, file)
      if (!hasIndexTables(database, 'search')) return undefined
      const progress = progressIn(database, 'search')
      if (!isProgressOf(database, progress)) return undefined
      index = new Database(file, { readonly: true, timeout: 5_000 })
      if (!hasIndexTables(index, 'main') || progressIn(index, 'main').position < progress.position) {
        // The file was replaced after it was attached. The new one does not contain all that the old one has indexed.
        index.close()
        return undefined
      }
      index.pragma('cache_size = -8000')
      addCandidateTable(database, index)
      return index
    } catch (error) {
      index?.close()
      if (!existsSync(file)) return undefined
      throw error
    }
  },
  attachEmpty(database) {
    attachEmptyIndex(database)
    addCandidateTable(database, undefined)
  },
}
