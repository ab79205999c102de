import workerUrl from './diff-worker.ts?worker&url'

declare global {
  interface Window {
    /** Not part of TypeScript's types yet. The policy returns an object that only the browser can create; a worker takes it as a text. */
    trustedTypes?: {
      createPolicy: (
        name: string,
        rules: { createScriptURL: (url: string) => string },
      ) => { createScriptURL: (url: string) => string }
    }
  }
}

/** The content security policy requires Trusted Types: only this address may become a worker. */
const policy = window.trustedTypes?.createPolicy('diff-worker', { createScriptURL: () => workerUrl })

export function startDiffWorker(): Worker {
  return new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' })
}
