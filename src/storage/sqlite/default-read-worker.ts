/** The entry of read workers where the program brings no tasks, as in tests of the storage alone. */
import { serveTasks } from './serve-tasks.ts'

serveTasks({})
