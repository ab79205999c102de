import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type App, startApp } from '../app.ts'
import { INTERFACE_FOLDER } from '../app-server.ts'
import { AppError } from '../base/errors.ts'
import { VERSION } from '../base/version.ts'
import type { Config } from '../config.ts'
import { PROGRAM } from './program-name.ts'

const STOP_TIMEOUT_MS = 10_000

/** Runs until it receives a signal. The first signal shuts down gracefully, the second exits at once. */
export async function runServe(config: Config, mode: { serves: boolean; works: boolean }): Promise<number> {
  if (mode.serves && !existsSync(join(INTERFACE_FOLDER, 'index.html'))) {
    throw new AppError(
      500,
      'The interface is not built. Run `npm ci`, or `npm run prepare` if the packages are installed',
    )
  }
  const firstStartShownOn = process.stdout.isTTY ? 'terminal' : 'log'
  const app = await startApp({ config, ...mode, firstStartShownOn })
  process.stdout.write(
    mode.serves ? greeting(app) : `Touchstone ${VERSION} runs jobs.\n\n  Data      ${app.storage.location}\n\n`,
  )
  void app.modelNotice.then((notice) => notice && process.stdout.write(`  Model     ${notice}\n\n`))
  await untilSignal()
  const limit = setTimeout(() => process.exit(1), STOP_TIMEOUT_MS)
  await app.close()
  clearTimeout(limit)
  return 0
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false
    const stop = () => {
      if (isStopping) process.exit(1)
      isStopping = true
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

function greeting({ url, storage, firstStart, ...app }: App): string {
  const { apiKey, setupToken } = firstStart
  const key = apiKey ?? '$TOUCHSTONE_API_KEY'
  const lines = [
    `Touchstone ${VERSION} is ready.`,
    '',
    `  Open      ${url}`,
    ...(setupToken
      ? [`  Set up    ${url}/setup#${setupToken}`, '            creates the first account; works once, for an hour']
      : []),
    ...(apiKey
      ? [
          `  API key   ${apiKey}`,
          `            shown only now; works for ${lifetime(firstStart)}; create more with \`${PROGRAM} api-key create\``,
        ]
      : []),
    `  Shell     export TOUCHSTONE=${url}${apiKey ? ` TOUCHSTONE_API_KEY=${apiKey}` : ''}`,
    `  Try       curl -H "Authorization: Bearer ${key}" ${url}/api/v1/workspace`,
    `  Traces    POST ${url}/v1/traces${grpcNotice(app)}`,
    `  Data      ${storage.location}`,
    ...(app.metricsUrl ? [`  Metrics   ${app.metricsUrl}`] : []),
    '',
  ]
  const isExposed = url.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(url)
  if (isExposed) {
    lines.push(
      '  Warning: users sign in over plain HTTP. Set TOUCHSTONE_TLS_CERT and TOUCHSTONE_TLS_KEY, or put a TLS proxy in front and set',
      '  TOUCHSTONE_PUBLIC_URL=https://… and TOUCHSTONE_TRUSTED_PROXIES to the address of the proxy. See docs/security.md',
      '',
    )
  }
  return `${lines.join('\n')}\n`
}

function lifetime({ apiKeyHours = 0 }: App['firstStart']): string {
  return apiKeyHours > 48 ? `${apiKeyHours / 24} days` : `${apiKeyHours} hours`
}

function grpcNotice({ grpcUrl, isGrpcPortTaken }: Pick<App, 'grpcUrl' | 'isGrpcPortTaken'>): string {
  if (grpcUrl !== undefined) return ` · gRPC ${new URL(grpcUrl).host}`
  return isGrpcPortTaken ? ' (not over gRPC: its port 4317 is taken; see TOUCHSTONE_OTLP_GRPC_PORT)' : ''
}
