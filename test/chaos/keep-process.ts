import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const compileCache = join(tmpdir(), 'compile-cache')
const restartMs = 800
const lookEveryMs = 200
const endLimitMs = 30_000

/** A process of the service that is started again whenever it ends, as a supervisor would. */
export type KeptProcess = {
  /** Whether there is a process that is not held, up or still on its way. */
  isRunning(): boolean
  /** Whether it has come up since it was started last. */
  isUp(): boolean
  kill(pauseMs: number): boolean
  hold(forMs: number): boolean
  wake(): void
  /** Ends it in good order: its exit code, or the signal that had to end it. */
  stop(): Promise<unknown>
  abandon(): void
}

export type KeepOptions = {
  role: string
  env: Record<string, string>
  /** The file its output goes to. */
  output: string
  isAlive(): Promise<boolean>
  onStart(): void
  /** It ended although nobody killed it. */
  onEnd(ended: unknown, wasUp: boolean): void
}

export function keepProcess(options: KeepOptions): KeptProcess {
  let child: ChildProcess | undefined
  let state = { wasUp: false, isKilled: false, isHeld: false }
  let isStopping = false
  let pauseMs = restartMs
  let waking: NodeJS.Timeout | undefined

  async function watchStart(started: ChildProcess): Promise<void> {
    while (started === child && !state.wasUp) {
      const isAlive = await options.isAlive()
      if (started === child && isAlive) state.wasUp = true
      await delay(lookEveryMs)
    }
  }
  async function keepUp(): Promise<void> {
    while (!isStopping) {
      state = { wasUp: false, isKilled: false, isHeld: false }
      const started = launch(options)
      child = started
      options.onStart()
      void watchStart(started)
      const [code, signal] = await once(started, 'exit')
      child = undefined
      if (isStopping) return
      if (!state.isKilled) options.onEnd(signal ?? code, state.wasUp)
      await delay(pauseMs)
      pauseMs = restartMs
    }
  }
  const keeping = keepUp()
  function wake(): void {
    clearTimeout(waking)
    if (state.isHeld) child?.kill('SIGCONT')
    state.isHeld = false
  }
  return {
    isRunning: () => child !== undefined && !state.isHeld,
    isUp: () => child !== undefined && state.wasUp,
    kill(forMs) {
      if (child === undefined) return false
      state.isKilled = true
      pauseMs = forMs
      return child.kill('SIGKILL')
    },
    hold(forMs) {
      if (child === undefined || state.isHeld) return false
      state.isHeld = true
      waking = setTimeout(wake, forMs)
      return child.kill('SIGSTOP')
    },
    wake,
    async stop() {
      isStopping = true
      wake()
      const ended = await endOf(child)
      await keeping
      return ended
    },
    abandon() {
      isStopping = true
      clearTimeout(waking)
      child?.kill('SIGKILL')
    },
  }
}

function launch({ role, env, output }: KeepOptions): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  const file = openSync(output, 'a')
  try {
    return spawn(process.execPath, [program, '--role', role], {
      cwd: tmpdir(),
      env: { PATH, HOME, NODE_COMPILE_CACHE: compileCache, ...env },
      stdio: ['ignore', file, file],
    })
  } finally {
    closeSync(file)
  }
}

async function endOf(child: ChildProcess | undefined): Promise<unknown> {
  if (child === undefined) return 0
  const ended = once(child, 'exit')
  const late = setTimeout(() => child.kill('SIGKILL'), endLimitMs)
  child.kill('SIGTERM')
  const [code, signal] = await ended
  clearTimeout(late)
  return signal ?? code
}
