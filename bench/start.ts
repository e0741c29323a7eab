import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Figure, median } from './report.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const pollMs = 10

/** From the command to the first answer, on a folder that was used before. */
export async function startBench(dataDir: string, rounds: number): Promise<Figure[]> {
  const seen: number[] = []
  for (let round = 0; round < rounds; round++) seen.push(await startOnce(dataDir))
  return [
    { number: '13', name: 'second start to ready', value: median(seen), unit: 's', atMost: 3 },
  ]
}

async function startOnce(dataDir: string): Promise<number> {
  const port = String(20_000 + (process.pid % 20_000))
  const startMs = performance.now()
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: port, MALIPO_DATA_DIR: dataDir },
    stdio: 'ignore',
  })
  try {
    while (!(await isReady(port))) await new Promise((resolve) => setTimeout(resolve, pollMs))
    return (performance.now() - startMs) / 1000
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

async function isReady(port: string): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  } catch {
    return false
  }
}
