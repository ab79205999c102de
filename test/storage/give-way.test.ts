import { once } from 'node:events'
import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'

it.runIf(process.platform === 'linux')(
  'a thread that gives way does so alone: the others keep their priority',
  async () => {
    const module = new URL('../../src/base/give-way.ts', import.meta.url).href
    const code = `
    import { readlinkSync } from 'node:fs'
    import { getPriority } from 'node:os'
    import { parentPort } from 'node:worker_threads'
    import { giveWay } from ${JSON.stringify(module)}
    giveWay()
    parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))))`
    const before = getPriority()
    const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
    expect(await once(thread, 'message')).toEqual([10])
    await thread.terminate()
    expect(getPriority()).toBe(before)
  },
)
