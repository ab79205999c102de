/** What answers the calls of a variant. Each type has a file of its own in this folder. */
import type { HttpTarget } from './http-target.ts'
import type { PromptTarget } from './prompt-target.ts'
import type { RecordedTarget } from './recorded-target.ts'
import type { WorkerTarget } from './worker-target.ts'

export type Target = PromptTarget | HttpTarget | WorkerTarget | RecordedTarget
