/** Records in the storage of the browser, each under a key of its own: tabs never overwrite records of each other. */

/** All records whose key starts with `prefix`, in the order of their keys. Records that cannot be read are ignored. */
export function listRecords(prefix: string): { key: string; record: unknown }[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .sort()
      .flatMap((key) => {
        const record = parse(localStorage.getItem(key))
        return record === undefined ? [] : [{ key, record }]
      })
  } catch {
    return [] // Storage is blocked.
  }
}

export function readRecord(key: string): unknown {
  try {
    return parse(localStorage.getItem(key))
  } catch {
    return undefined // Storage is blocked.
  }
}

/** Returns false if the storage is full or blocked. */
export function writeRecord(key: string, record: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(record))
    return true
  } catch {
    return false
  }
}

export function removeRecord(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Storage is blocked, so there is no record.
  }
}

function parse(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
