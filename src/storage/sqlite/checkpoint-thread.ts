/** The thread of `SqliteCheckpointer`: one connection, one statement, whenever it is asked. */
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'

const database = new Database(String(workerData), { timeout: 1_000 })

parentPort?.on('message', () => {
  // PASSIVE copies what it can without waiting for anybody; what is left is copied the next time.
  database.pragma('wal_checkpoint(PASSIVE)')
  parentPort?.postMessage('done')
})
