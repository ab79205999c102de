/**
 * What a program does before a signal ends it: workers return their calls, and then spans are sent. A listener turns off the end of the
 * process, so the program is ended here, after all of it, unless it has a listener of its own. A second signal ends it immediately.
 */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

type Task = (name: NodeJS.Signals) => Promise<void>

/** In this order: what workers do has spans, too. */
const tasks = { work: new Set<Task>(), spans: new Set<Task>() }
let isListening = false
let ending: Promise<void> | undefined

/** Returns the function that removes the task. */
export function beforeEndBySignal(phase: keyof typeof tasks, task: Task): () => void {
  tasks[phase].add(task)
  listen()
  return () => {
    tasks[phase].delete(task)
    listen()
  }
}

/** Resolves when all tasks are done, if a signal has come: most programs are ended by it before the caller continues. */
export async function endBySignal(): Promise<void> {
  await ending
}

/** As long as there are tasks, and none of them runs. */
function listen(): void {
  const isNeeded = ending === undefined && tasks.work.size + tasks.spans.size > 0
  if (isNeeded === isListening) return
  isListening = isNeeded
  for (const name of SIGNALS) {
    if (isNeeded) process.on(name, onSignal)
    else process.removeListener(name, onSignal)
  }
}

function onSignal(name: NodeJS.Signals): void {
  ending = runTasks(name)
  listen()
}

async function runTasks(name: NodeJS.Signals): Promise<void> {
  for (const phase of [tasks.work, tasks.spans]) await Promise.allSettled([...phase].map((task) => task(name)))
  ending = undefined
  // Programs with a listener of their own end it themselves.
  if (process.listenerCount(name) === 0) process.kill(process.pid, name)
  else listen()
}
