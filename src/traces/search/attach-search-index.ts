import { existsSync } from 'node:fs'
import type { SearchAttachment } from '../../storage/sqlite/search-hooks.ts'
import { createIndexTables, hasIndexTables, isProgressOf, progressIn, searchFileOf } from './sqlite-index.ts'

export const searchAttachment: SearchAttachment = {
  attach(database) {
    const file = searchFileOf(database.name)
    try {
      database.prepare('attach database ? as search').run(file)
      if (!hasIndexTables(database, 'search') || !isProgressOf(database, progressIn(database, 'search'))) return false
      database.pragma('search.cache_size = -8000')
      return true
    } catch (error) {
      if (!existsSync(file)) return false
      throw error
    }
  },
  attachEmpty(database) {
    database.exec("attach database ':memory:' as search")
    createIndexTables(database, 'search')
  },
}
