/** The entry of read workers where the program adds neither tasks nor a search index, as in tests of the storage alone. */
import { serveReadWorker } from './serve-read-worker.ts'

serveReadWorker({})
