const REFERENCE = String.raw`references \w+ \([^)]*\)(?: on delete \w+)?`
const OF_TABLE = new RegExp(String.raw`,\s*(foreign key \([^)]*\) ${REFERENCE})`, 'g')
const OF_COLUMN = new RegExp(String.raw`((?:[(,]\s*|add column )(\w+) [^,()]*?) (${REFERENCE})`, 'g')

/**
 * Separates a statement of a migration from the foreign keys that it creates: a distributed table can refer to another one only after both
 * are placed. Other statements are returned as they are.
 */
export function splitForeignKeys(statement: string): {
  statement: string
  foreignKeys: string[]
  created: string | undefined
} {
  const [, verb, table] = /^(create|alter) table (\w+)/.exec(statement) ?? []
  if (table === undefined) return { statement, foreignKeys: [], created: undefined }
  const foreignKeys: string[] = []
  const add = (key: string) => foreignKeys.push(`alter table ${table} add ${key}`)
  const withoutKeys = statement
    .replace(OF_TABLE, (_, key: string) => {
      add(key)
      return ''
    })
    .replace(OF_COLUMN, (_, before: string, column: string, reference: string) => {
      add(`foreign key (${column}) ${reference}`)
      return before
    })
  return { statement: withoutKeys, foreignKeys, created: verb === 'create' ? table : undefined }
}
